import type { Batch, RerankCandidate } from './batch.js';
import { isTestPath, stemOf } from './paths.js';
import type { Signal, SignalValue } from './signal.js';
import { overlap, signatureTokens } from './tokens.js';

const CALLABLE: ReadonlySet<string> = new Set(['function', 'method']);
const TYPES: ReadonlySet<string> = new Set([
  'type',
  'interface',
  'class',
  'struct',
  'enum',
  'trait',
  'typealias',
  'type_alias',
]);
const MEMBERS: ReadonlySet<string> = new Set([
  'enum_member',
  'enummember',
  'enum member',
  'field',
  'property',
]);
const VALUES: ReadonlySet<string> = new Set([
  'constant',
  'const',
  'variable',
  'macro',
  'module',
  'constructor',
]);

const kindOf = ({ kind }: RerankCandidate): string => kind?.toLowerCase() ?? '';
const isDefinition = (kind: string): boolean =>
  CALLABLE.has(kind) || TYPES.has(kind) || MEMBERS.has(kind) || VALUES.has(kind);

/** Whether a candidate is a test, by its path. */
export const isTest = ({ path, isTest = path !== undefined && isTestPath(path) }: RerankCandidate): boolean =>
  isTest;

/** What names and signatures of code say. */
export const symbolSignals: readonly Signal[] = [
  {
    name: 'api_signature',
    needs: 'no function or method with a signature',
    prepare:
      ({ tokens }) =>
      (candidate) => {
        const { name = '', signature = '' } = candidate;
        if (!CALLABLE.has(kindOf(candidate)) || signature === '') return undefined;
        return overlap(tokens, signatureTokens(`${signature} ${name}`));
      },
  },
  {
    name: 'type_signature',
    needs: 'no type, interface, member of an enum or field',
    prepare:
      ({ tokens }) =>
      (candidate) => {
        const { name = '', signature = '', qualifiedName = '' } = candidate;
        const kind = kindOf(candidate);
        if (!TYPES.has(kind) && !MEMBERS.has(kind)) return undefined;
        return overlap(tokens, signatureTokens(`${name} ${signature} ${qualifiedName}`));
      },
  },
  { name: 'definition_bias', needs: 'the query is no symbol, or this is no definition', prepare: definition },
  { name: 'source_bias', needs: 'no name', prepare: source },
  { name: 'overload', needs: 'no name', prepare: overload },
];

/** A query that is one name looks for what is defined by it. */
function definition({ text, queryClass }: Batch): SignalValue {
  if (queryClass !== 'symbol') return () => undefined;
  const wanted = text.toLowerCase();
  const start = Buffer.from(wanted).subarray(0, 4);
  return (candidate) => {
    const { name, path } = candidate;
    if (name === undefined || !isDefinition(kindOf(candidate))) return undefined;
    const own = name.toLowerCase();
    if (own === wanted) return 1;
    if (path !== undefined && stemOf(path).toLowerCase() === wanted) return 0.6;
    return start.length === 4 && Buffer.from(own).subarray(0, 4).equals(start) ? 0.4 : 0;
  };
}

/** What a test is named after, in small letters: `TestValidateToken` is about `validatetoken`. */
export function testedName(name: string): string {
  const start = /^(?:test_|(?:Test|test)(?=[\p{Lu}\p{N}]))(?=.)/u.exec(name);
  const end = /(?<=.)_(?:tests?|specs?)$/i.exec(name) ?? /(?<=[\p{Ll}\p{N}])(?:Tests?|Specs?)$/u.exec(name);
  return name.slice(start?.[0].length ?? 0, start === null ? end?.index : undefined).toLowerCase();
}

/** What stands in the batch beside a test that is named after it. */
function source({ candidates }: Batch): SignalValue {
  const tested = new Set(
    candidates.flatMap((candidate) =>
      candidate.name !== undefined && isTest(candidate) ? testedName(candidate.name) : [],
    ),
  );
  return (candidate) => {
    if (candidate.name === undefined) return undefined;
    return !isTest(candidate) && tested.has(candidate.name.toLowerCase()) ? 1 : 0;
  };
}

/** How much of a public definition it is. Without word of it, what starts with a capital counts as exported. */
function prominence(candidate: RerankCandidate): number {
  const { name = '', exported = /^\p{Lu}/u.test(name) } = candidate;
  const kind = kindOf(candidate);
  const isCentral = CALLABLE.has(kind) || TYPES.has(kind);
  return (exported ? 0.5 : 0) + (isTest(candidate) ? 0 : 0.3) + (isCentral ? 0.2 : 0);
}

/** Of several things with one name the prominent one; and the one whose name the words of the query make up. */
function overload({ text, queryClass, candidates }: Batch): SignalValue {
  const counts = new Map<string, number>();
  for (const { name } of candidates)
    if (name !== undefined) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  const joined = /\s/.test(text) ? text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') : '';
  return (candidate) => {
    if (candidate.name === undefined) return undefined;
    const name = candidate.name.toLowerCase();
    if (queryClass === 'symbol') return counts.get(name)! > 1 ? prominence(candidate) : 0;
    return joined !== '' && name === joined ? 0.55 + 0.45 * prominence(candidate) : 0;
  };
}
