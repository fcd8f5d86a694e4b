import { columns } from './arrow-columns.js';
import type { LoadedTables } from './load.js';

/** Which vectors each graph of neighbours holds. Only the calling thread looks at it. */
export class AnnView {
  readonly #starts: Int32Array;
  readonly #places: Uint32Array;

  /** Checks that each vector of the declared model that has a direction is in one graph, and no other vector in any. */
  constructor(loaded: LoadedTables) {
    const { models, model, ann } = loaded.manifest.embedding!;
    const table = columns(loaded, 'ann');
    const embeddings = columns(loaded, 'embeddings');
    const { starts, values } = table.list('vector', Uint32Array);
    this.#starts = starts;
    this.#places = values;
    const modelOf = embeddings.numbers('model', Uint16Array);
    const norms = embeddings.numbers('norm', Float64Array);
    const belongs = modelOf.map((one, place) => Number(models[one] === model && norms[place]! > 0));
    ann!.graphs.forEach(({ rows }, graph) => {
      const places = this.places(graph);
      if (places.length !== rows) throw table.fail('vector', `graph ${graph} has ${rows} vectors, not these`);
      places.forEach((place, i) => {
        if (belongs[place] !== 1 || (i > 0 && place <= places[i - 1]!))
          throw table.fail('vector', `value ${i} of graph ${graph} is out of order or place`);
        belongs[place] = 0;
      });
    });
    if (belongs.includes(1)) throw table.fail('vector', `vector ${belongs.indexOf(1)} is in no graph`);
  }

  get graphs(): number {
    return this.#starts.length - 1;
  }

  /** Places in the table of vectors, by their numbers in the graph. */
  places(graph: number): Uint32Array {
    return this.#places.subarray(this.#starts[graph]!, this.#starts[graph + 1]!);
  }
}
