import { CorankError, quote } from '../errors.js';
import type { Embedder } from '../ingest/embedder.js';
import type { AccessMode, FieldDeclaration, VectorForm } from '../types.js';
import type { BuildOptions, IndexSource } from './build-options.js';
import type { LsaEmbedding } from './lsa.js';

/** What the builder refuses before it reads a record. */

export function checkedEmbed(
  source: IndexSource,
  { embed, dimension, embeddingModel }: BuildOptions,
): LsaEmbedding | Embedder | undefined {
  if (embed === undefined) return undefined;
  const { kind, model, embed: make } = Object(embed);
  if (kind !== 'lsa' && !(typeof make === 'function' && typeof model === 'string' && model !== '')) {
    throw new CorankError(
      'INVALID_INPUT',
      `embed must be made by lsa() or be an embedder ({ model, embed }), got ${quote(embed)}`,
    );
  }
  if (Object(source).embeddings !== undefined || dimension !== undefined) {
    throw new CorankError(
      'INVALID_INPUT',
      'embed makes the vectors itself: leave out embeddings and dimension',
    );
  }
  if (kind !== 'lsa' && embeddingModel !== undefined && embeddingModel !== model) {
    throw new CorankError(
      'INVALID_INPUT',
      `the embedder makes vectors of ${quote(model)}, embeddingModel says ${quote(embeddingModel)}`,
    );
  }
  return embed;
}

export const isLsa = (embed: LsaEmbedding | Embedder | undefined): embed is LsaEmbedding =>
  (embed as Partial<LsaEmbedding> | undefined)?.kind === 'lsa';

export function checkedFields(fields: readonly FieldDeclaration[]): readonly FieldDeclaration[] {
  const seen = new Set<string>();
  for (const field of fields) {
    const { name, type } = Object(field) as FieldDeclaration;
    if (!['string', 'int', 'float', 'bool'].includes(type)) {
      throw new CorankError(
        'INVALID_INPUT',
        `field ${quote(name)}: type ${quote(type)} is none of string, int, float, bool`,
      );
    }
    if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name) || seen.has(name)) {
      throw new CorankError(
        'INVALID_INPUT',
        `field ${quote(name)} is declared twice or is no name (letters, digits, _ . -)`,
      );
    }
    seen.add(name);
  }
  return fields;
}

export function checkedDimension(dimension: number | undefined): number | undefined {
  if (dimension === undefined) return dimension;
  if (Number.isInteger(dimension) && dimension > 0 && dimension <= MAX_DIMENSION) return dimension;
  throw new CorankError(
    'INVALID_INPUT',
    `dimension must be a whole number from 1 to ${MAX_DIMENSION}, got ${quote(dimension)}`,
  );
}

export function checkedForm(form: VectorForm | undefined): VectorForm {
  if (form === undefined) return 'f32';
  if (['f32', 'int8', 'int8-only'].includes(form)) return form;
  throw new CorankError('INVALID_INPUT', `vectors must be f32, int8 or int8-only, got ${quote(form)}`);
}

/** Longest vector of any model by far; a larger number is a mistake. */
const MAX_DIMENSION = 65_536;

export function checkedSource(source: IndexSource): IndexSource {
  const { nodes, edges, access, embeddings } = Object(source) as IndexSource;
  for (const [name, stream] of Object.entries({ nodes, edges, access })) {
    if (stream === undefined && name !== 'nodes') continue;
    const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(stream);
    if (typeof stream !== 'object' || (typeof later !== 'function' && typeof now !== 'function')) {
      throw new CorankError(
        'INVALID_INPUT',
        `${name} must be an (async) iterable of objects, got ${quote(stream)}`,
      );
    }
  }
  if (embeddings !== undefined) {
    const { rows, columns, data } = Object(embeddings);
    const fits =
      Number.isInteger(rows) &&
      rows >= 0 &&
      Number.isInteger(columns) &&
      columns > 0 &&
      columns <= MAX_DIMENSION;
    if (!fits || !(data instanceof Float32Array) || data.length !== rows * columns) {
      throw new CorankError(
        'INVALID_INPUT',
        'embeddings must be { rows, columns, data } with data a Float32Array of rows * columns numbers',
      );
    }
  }
  return source;
}

export function checkedDerive(derive: BuildOptions['derive']): boolean {
  if (derive === undefined || derive === 'links') return derive === 'links';
  throw new CorankError('INVALID_INPUT', `derive must be links, got ${quote(derive)}`);
}

export function checkedMode(mode: AccessMode | undefined): AccessMode | undefined {
  if (mode === undefined || mode === 'open' || mode === 'scoped') return mode;
  throw new CorankError('INVALID_INPUT', `accessMode must be scoped or open, got ${quote(mode)}`);
}
