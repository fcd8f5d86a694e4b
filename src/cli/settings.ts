import { quote } from '../errors.js';
import { SCORED_FIELDS } from '../index/fields.js';
import { decimal } from '../ingest/number.js';
import { SIGNAL_NAMES } from '../rank/rerank/signals.js';
import { usage } from './exit-codes.js';

type Value = number | string | boolean | readonly string[];

/** What `--set` changes, by key. Ranges and words are for the retrievers to check. */
export type Settings = ReadonlyMap<string, Value>;

type Kind = 'number' | 'word' | 'words' | 'switch';

const CHANNELS: readonly string[] = ['bm25', 'dense', 'pagerank'];

const KEYS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['bm25.k1', 'number'],
  ['bm25.b', 'number'],
  ['bm25.form', 'word'],
  ['bm25.pairs', 'number'],
  ['bm25.phrases', 'switch'],
  ['dense.metric', 'word'],
  ['hnsw.ef', 'number'],
  ['codeSearch.surface', 'word'],
  ['codeSearch.container', 'number'],
  ['codeSearch.symbols', 'number'],
  ['codeSearch.walk', 'number'],
  ['hybrid.fusion', 'word'],
  ['graphCompletion.maxSeedExpansion', 'number'],
  ['graphCompletion.direction', 'word'],
  ['graphCompletion.edgeKinds', 'words'],
  ['graphCompletion.interleave', 'switch'],
  ['flatness.weight', 'number'],
  ['alphaBlend.alpha', 'number'],
  ['rrf.k', 'number'],
  ['stretchedRrf.k', 'number'],
  ['pagerank.damping', 'number'],
  ['pagerank.tolerance', 'number'],
  ['pagerank.maxIterations', 'number'],
  ['pagerank.walk', 'word'],
  ['pagerank.reverseRatio', 'number'],
  ['pagerank.seedCount', 'number'],
  ['pagerank.seedPower', 'number'],
  ['pagerank.selfLoops', 'word'],
  ['pagerank.edgeWeights', 'word'],
  ['rerank.blend', 'word'],
  ['rerank.prose', 'switch'],
  ['rerank.queryClass', 'word'],
  ['rerank.pool', 'number'],
  ['rerank.now', 'number'],
  ['rerank.cosine', 'word'],
]);

/** Keys of numbers with a name at their end, which is one of a list or anything. */
const FAMILIES: readonly { prefix: string; shown: string; names?: readonly string[] }[] = [
  { prefix: 'bm25.b.', shown: 'FIELD', names: SCORED_FIELDS },
  { prefix: 'bm25.weights.', shown: 'FIELD', names: SCORED_FIELDS },
  ...['rrf', 'stretchedRrf', 'dbsf', 'relativeScore'].map((fusion) => ({
    prefix: `${fusion}.weights.`,
    shown: 'CHANNEL',
    names: CHANNELS,
  })),
  { prefix: 'pagerank.kindWeights.', shown: 'KIND' },
  { prefix: 'rerank.weights.', shown: 'SIGNAL', names: SIGNAL_NAMES },
];

/** Reads `KEY=VALUE` settings; the last of a key counts. An unknown key is refused with the known ones. */
export function parseSettings(given: readonly string[]): Settings {
  const settings = new Map<string, Value>();
  for (const text of given) {
    const equals = text.lastIndexOf('=');
    if (equals <= 0) throw usage(`--set ${quote(text)}: write KEY=VALUE; the known keys are ${knownKeys()}`);
    const key = text.slice(0, equals);
    settings.set(key, parsed(key, kindOf(key), text.slice(equals + 1)));
  }
  return settings;
}

/** The settings `owner.name` as an object with `name`. */
export function settingsOf(settings: Settings, owner: string): Record<string, Value> {
  const single = [...settings].filter(([key]) => KEYS.has(key) && key.startsWith(`${owner}.`));
  return Object.fromEntries(single.map(([key, value]) => [key.slice(owner.length + 1), value]));
}

/** The settings of a family, such as `bm25.weights.`, by the names at their ends. */
export function familyOf(settings: Settings, prefix: string): Record<string, number> {
  const members = [...settings].filter(([key]) => key.startsWith(prefix));
  return Object.fromEntries(members.map(([key, value]) => [key.slice(prefix.length), value as number]));
}

function kindOf(key: string): Kind {
  const kind = KEYS.get(key);
  if (kind !== undefined) return kind;
  const family = FAMILIES.find(({ prefix }) => key.startsWith(prefix) && key.length > prefix.length);
  const known = family !== undefined && (family.names?.includes(key.slice(family.prefix.length)) ?? true);
  if (known) return 'number';
  throw usage(`--set: unknown key ${quote(key)}; the known ones are ${knownKeys()}`);
}

function parsed(key: string, kind: Kind, text: string): Value {
  if (kind === 'word') return text;
  if (kind === 'words') return text.split(',');
  if (kind === 'switch') {
    if (text === '0' || text === '1') return text === '1';
    throw usage(`--set: ${key} must be 0 or 1, got ${quote(text)}`);
  }
  const value = decimal(text);
  if (Number.isFinite(value)) return value;
  throw usage(`--set: ${key} must be a number, got ${quote(text)}`);
}

function knownKeys(): string {
  const keys = [...KEYS.keys(), ...FAMILIES.map(({ prefix, shown }) => prefix + shown)].sort().join(', ');
  return `${keys} (FIELD: ${SCORED_FIELDS.join(', ')}; CHANNEL: ${CHANNELS.join(', ')}; KIND: a kind of edge; SIGNAL: ${SIGNAL_NAMES.join(', ')})`;
}
