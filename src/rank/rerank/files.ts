import { type Batch, fileOf, type RerankCandidate } from './batch.js';
import { pathValue } from './paths.js';
import type { Signal } from './signal.js';

/** What the files of the candidates say. */
export const fileSignals: readonly Signal[] = [
  { name: 'file_coherence', needs: 'no path or documentId, or it is alone there', prepare: coherence },
  {
    name: 'path_penalty',
    prepare({ candidates }) {
      const paths = new Set(candidates.map(({ path }) => path));
      return ({ path }) => (path === undefined ? 1 : pathValue(path, (peer) => paths.has(peer)));
    },
  },
];

/** Files whose candidates stand high together: the sum of 1 / rank in a file, where the best file is 1. */
function coherence({ candidates }: Batch): (candidate: RerankCandidate) => number | undefined {
  const sums = new Map<string, { count: number; sum: number }>();
  for (const candidate of candidates) {
    const file = fileOf(candidate);
    if (file === undefined) continue;
    const known = sums.get(file) ?? { count: 0, sum: 0 };
    known.count++;
    if (candidate.textRank !== undefined) known.sum += 1 / candidate.textRank;
    sums.set(file, known);
  }
  const most = [...sums.values()].reduce((best, { sum }) => Math.max(best, sum), 0);
  return (candidate) => {
    const file = fileOf(candidate);
    const known = file === undefined ? undefined : sums.get(file)!;
    if (known === undefined || known.count < 2) return undefined;
    return most === 0 ? 0 : known.sum / most;
  };
}
