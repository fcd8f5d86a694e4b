import { CorankError } from '../../errors.js';

/** Thrown for an answer that cannot be used; the message begins with a verb and tells no text of the answer. */
const unusable = (service: string, what: string): CorankError =>
  new CorankError('EMBEDDINGS_UNAVAILABLE', `${service} ${what}`);

/**
 * The vectors of an answer `{ data: [{ index, embedding }] }`, in the order of their indexes: `count` of them, of
 * one length, every number finite as float32. EMBEDDINGS_UNAVAILABLE, naming the service, for anything else.
 */
export function vectorsOf(text: string, count: number, service: string): Float32Array[] {
  const rows = rowsOf(text, service);
  if (rows.length !== count)
    throw unusable(service, `answered with ${rows.length} vectors for ${count} texts`);
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const row of rows) {
    const index: unknown = row?.index;
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= count)
      throw unusable(service, `answered with a vector whose index is not one of 0 to ${count - 1}`);
    const at = index as number;
    if (vectors[at] !== undefined) throw unusable(service, `answered with two vectors of index ${at}`);
    vectors[at] = vectorOf(row?.embedding, at, service);
  }
  // As many as texts, each index once: none is missing.
  const whole = vectors as Float32Array[];
  const odd = whole.find(({ length }) => length !== whole[0]!.length);
  if (odd !== undefined)
    throw unusable(service, `answered with vectors of ${whole[0]!.length} and of ${odd.length} numbers`);
  return whole;
}

type Row = { index?: unknown; embedding?: unknown } | null | undefined;

function rowsOf(text: string, service: string): Row[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw unusable(service, `answered with what is not JSON (${text.length} characters)`);
  }
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw unusable(service, 'answered with JSON that has no list `data`');
  return data;
}

function vectorOf(embedding: unknown, index: number, service: string): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0)
    throw unusable(service, `answered with no list of numbers at index ${index}`);
  const wrong = embedding.findIndex((x) => typeof x !== 'number' || !Number.isFinite(Math.fround(x)));
  if (wrong >= 0) {
    throw unusable(
      service,
      `answered at index ${index} with a vector that holds ${kindOf(embedding[wrong])} at position ${wrong}`,
    );
  }
  return Float32Array.from(embedding);
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return 'a number that is not finite as float32';
  return value === null ? 'null' : `a value of type ${typeof value}`;
}
