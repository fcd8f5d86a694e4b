import fc from 'fast-check';
import type {
  BuildOptions,
  Edge,
  FieldDeclaration,
  Filter,
  Node,
  Principal,
  Query,
} from '../../dist/index.js';

/** What is declared when an index is built: the same for the index of everything and for that of the visible. */
export interface Settings {
  analyzer: 'english' | 'plain' | 'code';
  fields: FieldDeclaration[];
  dimension: number;
  embeddingModel: string;
  vectors: NonNullable<BuildOptions['vectors']>;
  derive?: 'links';
  /** Whether org, source and acl come as an access table or as columns of the nodes. */
  accessTable: boolean;
}

export interface Row extends Node {
  org: string;
  source: string;
  acl: string[];
}

export interface Corpus {
  settings: Settings;
  nodes: Row[];
  edges: Edge[];
}

export interface Caller {
  principal: Principal;
  sources: string[];
}

export interface Asked extends Omit<Query, 'principal' | 'sources'> {
  depth?: number;
  explain: boolean;
  /** Through `rank` instead of `search`. */
  batch: boolean;
  walk: Walk;
}

export interface Walk {
  /** Weighted places in the list of visible ids; `any`: of all ids, hidden and unknown ones among them. */
  seeds: { place: number; weight?: number }[];
  any: boolean;
  options: Record<string, unknown>;
}

/** Organisations, sources and tags share names on purpose: they may share a dictionary, never a meaning. */
const ORGS = ['a', 'b'];
const SOURCES = ['a', 's', '__proto__'];
const TAGS = ['a', 'b', '__proto__', 'role:x'];
export const KINDS = ['cites', 'calls', '__proto__', 'constructor'];
export const UNKNOWN_IDS = ['nobody', '__proto__?', '\u{1F600}\u{1F600}\u{1F600}'];

/** Prefixes of each other, names of Object.prototype, digits, and both sides of the surrogates in UTF-16. */
const ID_PIECES = ['a', 'ab', 'b', 'A', 'é', '\u{1F600}', '\uE000', '\uFFFD', '1', '10', '-', ' ', '"', '\0'];
const id = fc.oneof(
  { weight: 8, arbitrary: fc.array(fc.constantFrom(...ID_PIECES), { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(['__proto__'], ['constructor'], ['toString']) },
  // As those of files, and of what stands around others.
  {
    weight: 2,
    arbitrary: fc.constantFrom(['night/shift.ts'], ['night/shift.ts#É'], ['late/index.ts#Lateness2']),
  },
);

const WORDS = [
  'night',
  'shift',
  'late',
  'lateness',
  'policy',
  'Night',
  'Shift',
  'Late',
  'getUserName',
  'Straße',
  '東京',
  '𝒳',
  'x',
];
const STOP_WORDS = ['the', 'of', 'and'];
const word = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...WORDS.slice(0, 5)) },
  { weight: 2, arbitrary: fc.constantFrom(...WORDS) },
  // Names and titles, longer ones around shorter ones.
  { weight: 3, arbitrary: fc.constantFrom('Night', 'Night Shift', 'Late Night Shift', 'Shift of the Night') },
  { weight: 2, arbitrary: fc.constantFrom(...STOP_WORDS) },
);
const gap = fc.constantFrom(' ', ' ', ' ', ' ', '. ', '-', '/', '\n');
const words = (most: number) =>
  fc.array(fc.tuple(word, gap), { maxLength: most, size: 'max' }).map((list) => list.flat().join(''));

/** As code has them: whole names, and names made of parts. */
const symbolName = fc.constantFrom(
  ...[
    'night',
    'Shift',
    'late',
    'policy',
    'getUserName',
    'nightShift',
    'late_policy',
    'Lateness2.night',
    'É.late',
  ],
);

const MODELS = ['m1', 'm2'];
const number = fc.constantFrom(0, 0, 1, 1, -1, 0.5, 2, 0.1, 1e-30, 1e15);
const vector = (dimension: number) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.array(number, { minLength: dimension, maxLength: dimension }) },
    { weight: 1, arbitrary: fc.constant(new Array<number>(dimension).fill(0)) },
    { weight: 2, arbitrary: fc.constant(new Array<number>(dimension).fill(1)) },
  );

const FIELDS: FieldDeclaration[] = [
  { name: 'year', type: 'int' },
  { name: 'lang', type: 'string' },
  { name: 'grade', type: 'float' },
  { name: 'draft', type: 'bool' },
  { name: '__proto__', type: 'string' },
  { name: 'churn', type: 'int' },
  { name: 'lastAuthored', type: 'float' },
  { name: 'repo', type: 'string' },
];
const meta = fc.record(
  {
    year: fc.constantFrom(1999, 2024, 2025, -1),
    lang: fc.constantFrom('en', 'é', '', '__proto__'),
    grade: fc.constantFrom(0.5, 0, -2, 1e300),
    draft: fc.boolean(),
    churn: fc.constantFrom(0, 1, 7),
    lastAuthored: fc.constantFrom(0, 1e6, 9e8),
    repo: fc.constantFrom('r', 's'),
    other: fc.constantFrom('x', 'y'),
  },
  { requiredKeys: [] },
);

export const settings: fc.Arbitrary<Settings> = fc.record(
  {
    analyzer: fc.constantFrom('english', 'plain', 'code'),
    fields: fc.constantFrom(FIELDS, FIELDS, FIELDS.slice(0, 2), []),
    dimension: fc.constantFrom(1, 3, 17),
    embeddingModel: fc.constant('m1'),
    vectors: fc.constantFrom('f32', 'int8', 'int8-only'),
    accessTable: fc.boolean(),
    derive: fc.constant('links' as const),
  },
  { requiredKeys: ['analyzer', 'fields', 'dimension', 'embeddingModel', 'vectors', 'accessTable'] },
);

const access = fc.record({
  org: fc.constantFrom('a', 'a', 'a', 'a', ...ORGS),
  source: fc.constantFrom(...SOURCES),
  acl: fc.oneof(
    { weight: 9, arbitrary: fc.subarray(TAGS, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom<string[]>([], ['a', 'a']) },
  ),
});

const content = (dimension: number) =>
  fc.record(
    {
      kind: fc.constantFrom('doc', 'symbol', 'Community', 'file'),
      name: fc.oneof(words(2), symbolName),
      qualifiedName: fc.oneof(words(3), symbolName),
      container: words(1),
      path: fc.constantFrom('night/shift.ts', 'late/index.ts', 'policy.md', '/', ''),
      title: words(4),
      heading: words(2),
      signature: words(3),
      text: words(14),
      uri: fc.constantFrom('file:///x', 'https://example.org/é'),
      documentId: fc.constantFrom('d1', '__proto__'),
      ordinal: fc.nat(3),
      tokenEstimate: fc.nat(9),
      meta: meta,
      embedding: vector(dimension),
      embeddingModel: fc.constantFrom('m1', ...MODELS),
    },
    { requiredKeys: [] },
  );

const node = (dimension: number): fc.Arbitrary<Row> =>
  fc
    .tuple(id, access, content(dimension))
    .map(([pieces, who, what]) => ({ id: pieces.join(''), ...who, ...what }));

/** Places are taken modulo the number of nodes; place 0 is a hub, so that caps on neighbours are reached. */
const place = fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(24) });
const edge = fc.record(
  {
    from: place,
    to: place,
    kind: fc.constantFrom('cites', ...KINDS, 'similar_to', 'co_change'),
    weight: fc.constantFrom(1, 1, 2, 0.5, 0.1, 3, 1e-3, 1e6),
    provenance: fc.constantFrom('lsp', 'text', 'ast_inferred'),
    confidence: fc.constantFrom(0, 0.5, 1),
    fields: fc.constantFrom<Record<string, string>>({ note: 'x' }, { note: 'é', ['__proto__']: 'y' }),
  },
  { requiredKeys: ['from', 'to'] },
);

const nodesOf = ({ dimension }: Settings): fc.Arbitrary<Row[]> => {
  const unique = { selector: (row: Row) => row.id, size: 'max' } as const;
  return fc.oneof(
    { weight: 5, arbitrary: fc.uniqueArray(node(dimension), { ...unique, minLength: 12, maxLength: 25 }) },
    { weight: 1, arbitrary: fc.uniqueArray(node(dimension), { ...unique, maxLength: 5 }) },
  );
};

export const corpusOf = (declared: Settings): fc.Arbitrary<Corpus> =>
  fc
    .tuple(
      nodesOf(declared),
      fc.array(edge, { maxLength: 60, size: 'max' }),
      fc.constantFrom(0, 1, 1000),
      fc.boolean(),
    )
    .map(([nodes, edges, bare, starred]) => ({
      settings: declared,
      nodes: withVectors(starred ? knownHub(nodes) : nodes, bare, declared),
      edges: [
        ...edges.flatMap((e) => {
          const end = (at: number): string | undefined => nodes[at % nodes.length]?.id;
          const [from, to] = [end(e.from), end(e.to)];
          return from === undefined || to === undefined ? [] : [{ ...e, from, to }];
        }),
        ...(starred ? star(nodes) : []),
      ],
    }));

/** The first row as one that many questions find and many callers read. */
const knownHub = (nodes: readonly Row[]): Row[] =>
  nodes.map((row, i) =>
    i > 0 ? row : { ...row, org: 'a', acl: TAGS, title: 'night shift lateness policy' },
  );

/** Edges from the first row to all others: more than any cap on neighbours, whoever may read them. */
const star = ([hub, ...others]: readonly Row[]): Edge[] =>
  others.map(({ id }, i) => ({ from: hub!.id, to: id, weight: [2, 0.5, 1][i % 3]! }));

/** Leaves `bare` rows at most without a vector of the declared model, so that vectors and rows can go one to one. */
function withVectors(nodes: Row[], bare: number, { dimension, embeddingModel }: Settings): Row[] {
  if (bare > nodes.length) return nodes;
  return nodes.map((row, i) =>
    i < bare
      ? row
      : { embedding: Array.from({ length: dimension }, (_, d) => ((i + d) % 5) - 1), ...row, embeddingModel },
  );
}

export const corpus: fc.Arbitrary<Corpus> = settings.chain(corpusOf);

const reader = (org: string, grants: string[], sources: string[]): Caller => ({
  principal: { org, grants },
  sources,
});
const malformed = (principal: unknown, sources: unknown): Caller =>
  ({ principal, sources }) as unknown as Caller;

/** Ordinary readers, one who sees all of an organisation, ones who see nothing, and ones who may not ask. */
export const caller: fc.Arbitrary<Caller> = fc.oneof(
  {
    weight: 16,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', 'a', 'a', 'a', 'b'),
        fc.subarray([...TAGS, 'unknown'], { minLength: 1, maxLength: 4 }),
        fc.subarray([...SOURCES, 'unknown'], { minLength: 2 }),
      )
      .map((parts) => reader(...parts)),
  },
  { weight: 2, arbitrary: fc.constant(reader('a', TAGS, SOURCES)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(reader('nobody', TAGS, SOURCES), reader('a', ['unknown'], ['a', 'a'])),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      reader('a', [], SOURCES),
      reader('a', TAGS, []),
      malformed('open', SOURCES),
      malformed({ org: 'a' }, SOURCES),
      malformed(undefined, undefined),
    ),
  },
);

const phrase = words(4).map((text) => `"${text}"`);
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: words(5) },
  { weight: 4, arbitrary: fc.tuple(phrase, words(3), phrase).map((parts) => parts.join(' ')) },
  { weight: 2, arbitrary: fc.tuple(words(2), phrase).map((parts) => parts.join(' -')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      ' \t',
      '"night shift',
      '-',
      '""',
      'night night shift shift',
      '(-late night)',
    ),
  },
);

const compared = <T>(field: string, values: readonly T[]) =>
  fc.record({
    field: fc.constant(field),
    op: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
    value: fc.constantFrom(...values),
  });
const oneOf = <T>(field: string, values: readonly T[]) =>
  fc.record({
    field: fc.constant(field),
    op: fc.constant('in'),
    value: fc.subarray([...values]),
  });
const nullity = fc.record({
  field: fc.constantFrom('year', 'lang', 'draft', '__proto__'),
  op: fc.constantFrom('=', '!=', '<', 'in'),
  value: fc.constant(null),
});
/** Mostly what can be asked; also operators, types and fields that cannot. */
const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 6, arbitrary: compared('year', [2024, 2025, 1999]) as fc.Arbitrary<Filter> },
  { weight: 3, arbitrary: compared('lang', ['en', 'é', '', '__proto__']) as fc.Arbitrary<Filter> },
  { weight: 1, arbitrary: compared('grade', [0, 0.5]) as fc.Arbitrary<Filter> },
  { weight: 1, arbitrary: compared('draft', [true, false, 'true']) as fc.Arbitrary<Filter> },
  { weight: 1, arbitrary: compared('year', [0.5, '2024']) as fc.Arbitrary<Filter> },
  { weight: 2, arbitrary: oneOf('year', [2024, 1999, null, 7]) as fc.Arbitrary<Filter> },
  { weight: 2, arbitrary: oneOf('lang', ['en', '', null, 'x']) as fc.Arbitrary<Filter> },
  { weight: 2, arbitrary: nullity as fc.Arbitrary<Filter> },
  { weight: 1, arbitrary: compared('__proto__', ['x']) as fc.Arbitrary<Filter> },
  { weight: 1, arbitrary: compared('constructor', ['x']) as fc.Arbitrary<Filter> },
);

const queryVector = (dimension: number) =>
  fc.oneof(
    { weight: 18, arbitrary: vector(dimension) },
    { weight: 1, arbitrary: vector(dimension + 1) },
    { weight: 1, arbitrary: fc.constant(new Array<number>(dimension).fill(Number.NaN)) },
  );

const seed = fc.record(
  { place: fc.nat(24 + UNKNOWN_IDS.length), weight: fc.constantFrom(1, 2, 0.25, 1e6) },
  { requiredKeys: ['place'] },
);
const walkOptions = fc.record(
  {
    damping: fc.constantFrom(0.85, 0.5, 0),
    tolerance: fc.constantFrom(0, 1e-3, 1e-12),
    maxIterations: fc.constantFrom(1, 7, 50),
    selfLoops: fc.constantFrom('ignore', 'keep'),
    edgeWeights: fc.constantFrom('stored', 'uniform'),
    kindWeights: fc.constantFrom(
      { cites: 0 },
      { calls: 3, ['__proto__']: 0.5 },
      { nowhere: 2 },
      { cites: 1e100 },
    ),
    direction: fc.constantFrom('forward', 'reverse', 'both'),
  },
  { requiredKeys: [] },
);

/** A depth that cuts the lists of the channels, and a k within it. */
const limits = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(5))
  .map(([depth, less]) => ({ depth, k: Math.max(1, depth - less) }));

const asked = (dimension: number) =>
  fc.record(
    {
      text,
      id: fc.constantFrom('q', '__proto__'),
      limits: fc.oneof(
        { weight: 6, arbitrary: fc.record({ k: fc.integer({ min: 1, max: 12 }) }) },
        { weight: 3, arbitrary: fc.constantFrom({ k: 30 }, { k: 50 }) },
        { weight: 6, arbitrary: limits },
        { weight: 1, arbitrary: fc.constantFrom({ k: 0 }, { k: 51 }, { k: 1.5 }, { k: 5, depth: 4 }) },
      ),
      filters: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(filter, { maxLength: 2 }) },
      ),
      embedding: queryVector(dimension),
      embeddingModel: fc.constantFrom('m1', 'm1', 'm1', 'm1', 'm1', 'm2', 'm2', 'm3'),
      explain: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.boolean() }),
      batch: fc.boolean(),
      walk: fc.record({
        seeds: fc.array(seed, { maxLength: 4 }),
        any: fc.nat(4).map((n) => n === 0),
        options: walkOptions,
      }),
    },
    { requiredKeys: ['text', 'explain', 'batch', 'walk'] },
  );

export const requestOf = ({ dimension }: Settings): fc.Arbitrary<Asked> =>
  asked(dimension).map(({ limits: bounds, ...rest }) => ({ ...rest, ...bounds }));

/** A vector for any text, the same on every machine: what a model would be. */
export function embeddingOf(of: string, dimension: number): Float32Array {
  let state = 2166136261;
  for (const unit of of) state = Math.imul(state ^ unit.codePointAt(0)!, 16777619);
  return Float32Array.from({ length: dimension }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.round(state / 2 ** 28) / 4;
  });
}

/** What the access rules let a caller read: the oracle, in four lines. */
export function mayRead({ principal, sources: asked }: Caller, row: Row): boolean {
  if (typeof principal !== 'object' || !Array.isArray(principal.grants)) return false;
  const meets = row.acl.some((tag) => principal.grants.includes(tag));
  return row.org === principal.org && meets && (asked ?? []).includes(row.source);
}

/** The corpus of only the rows, edges and vectors that a caller may read. */
export function visiblePart(whole: Corpus, who: Caller): Corpus {
  const nodes = whole.nodes.filter((row) => mayRead(who, row));
  const ids = new Set(nodes.map((row) => row.id));
  return { ...whole, nodes, edges: whole.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}

/** A generator of whole numbers below `n`, the same on every machine: mulberry32. */
export function randoms(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** Hundreds of rows, so that bitmaps have many words, lists are cut at their depth and vectors fill blocks. */
export const largeCorpus: fc.Arbitrary<Corpus> = fc
  .record({ declared: settings, seed: fc.nat(), size: fc.integer({ min: 150, max: 700 }) })
  .map(({ declared, seed, size }) => large(declared, seed, size));

function large(declared: Settings, seed: number, size: number): Corpus {
  const random = randoms(seed);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const vocabulary = [...WORDS, ...STOP_WORDS, ...Array.from({ length: 200 }, (_, i) => `w${i}`)];
  // The square of the place makes the first words frequent and the last ones rare.
  const prose = (most: number): string =>
    Array.from(
      { length: random(most) },
      () => vocabulary[Math.floor(random(vocabulary.length) ** 2 / vocabulary.length)]!,
    ).join(' ');
  const nodes = Array.from({ length: size }, (_, i): Row => {
    const tags = TAGS.filter(() => random(3) === 0);
    return {
      id: `${pick(ID_PIECES)}${i}`,
      org: random(6) === 0 ? 'b' : 'a',
      source: pick(SOURCES),
      acl: tags.length === 0 && random(4) > 0 ? ['a'] : tags,
      title: prose(6),
      text: prose(random(20) === 0 ? 600 : 40),
      ...(random(3) === 0 ? { heading: prose(4) } : {}),
      ...(random(2) === 0 ? { meta: { year: 2020 + random(6), lang: pick(['en', 'é']) } } : {}),
      ...(random(5) === 0
        ? {}
        : {
            embedding: Array.from({ length: declared.dimension }, () => random(5) - 2),
            embeddingModel: random(8) === 0 ? 'm2' : 'm1',
          }),
    };
  });
  const edges = Array.from({ length: size * 3 }, (): Edge => {
    const kind = random(5) === 0 ? undefined : pick(KINDS);
    return {
      from: nodes[random(10) === 0 ? 0 : random(size)]!.id,
      to: nodes[random(10) === 0 ? 0 : random(size)]!.id,
      weight: pick([1, 1, 1, 0.5, 0.1, 3]),
      ...(kind === undefined ? {} : { kind }),
    };
  });
  return { settings: declared, nodes, edges };
}
