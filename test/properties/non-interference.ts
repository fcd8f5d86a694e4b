import fc from 'fast-check';
import type { Engine } from '../../dist/index.js';
import { askAll, assertSame } from './answers.js';
import {
  type Asked,
  type Caller,
  type Corpus,
  caller,
  corpus,
  corpusOf,
  requestOf,
  type Settings,
  settings,
  UNKNOWN_IDS,
  visiblePart,
} from './corpora.js';
import { mutants } from './hidden-changes.js';
import { withIndex } from './indexes.js';
import type { World } from './retrievers.js';

/** Callers per corpus, requests per caller: an index is dear to build and cheap to ask. */
export const CALLERS = 5;
export const REQUESTS = 8;
/** Requests put to an index and to each of its mutants. */
const REQUESTS_OF_MUTANTS = 6;

/** What a run of a property has looked at, so that a test can say that it was not idle. */
export interface Tally {
  cases: number;
  /** Cases with something hidden in which bm25 found something: where there is a score to move. */
  telling: number;
}

export interface Question {
  who: Caller;
  requests: Asked[];
}

export const question = (of: Settings, requests = REQUESTS): fc.Arbitrary<Question> =>
  fc.record({
    who: caller,
    requests: fc.array(requestOf(of), { minLength: requests, maxLength: requests }),
  });

export const worldOf = (who: Caller, whole: Corpus, other?: Corpus): World => {
  const ids = [whole, ...(other === undefined ? [] : [other])].flatMap(({ nodes }) =>
    nodes.map(({ id }) => id),
  );
  return {
    ids: [...new Set([...ids, ...UNKNOWN_IDS])],
    visible: visiblePart(whole, who).nodes.map(({ id }) => id),
    dimension: whole.settings.dimension,
  };
};

type Outcomes = Map<string, unknown>[];

async function askEverything(engine: Engine, { who, requests }: Question, world: World): Promise<Outcomes> {
  const outcomes: Outcomes = [];
  for (const asked of requests) outcomes.push(await askAll(engine, who, asked, world));
  return outcomes;
}

/** Throws at the first difference, which names the retriever; the number of answers compared. */
function compareAll(left: Outcomes, right: Outcomes, { who, requests }: Question): number {
  let answers = 0;
  requests.forEach((asked, i) => {
    for (const [name, outcome] of left[i]!) {
      const where = `${name}, asked ${JSON.stringify(asked)} by ${JSON.stringify(who)}`;
      assertSame(where, outcome, right[i]!.get(name));
      answers++;
    }
  });
  return answers;
}

/** Asks both engines everything and throws at the first difference; the number of answers compared. */
export async function compare(
  left: Engine,
  right: Engine,
  asked: Question,
  world: World,
  tally?: Tally,
): Promise<number> {
  const outcomes = await askEverything(left, asked, world);
  if (tally !== undefined && world.visible.length + UNKNOWN_IDS.length < world.ids.length) {
    tally.telling += outcomes.filter(found).length;
  }
  return compareAll(outcomes, await askEverything(right, asked, world), asked);
}

const found = (outcomes: Map<string, unknown>): boolean => {
  const { answer } = outcomes.get('bm25') as { answer?: { candidates: unknown[] } };
  return (answer?.candidates.length ?? 0) > 0;
};

/** A scoped index answers as the index of only what the caller may read. */
export function scopedAnswers(folder: string, tally: Tally) {
  const setting = corpus.chain((whole) =>
    fc.record({
      whole: fc.constant(whole),
      questions: fc.array(question(whole.settings), { minLength: CALLERS, maxLength: CALLERS }),
    }),
  );
  return fc.asyncProperty(setting, async ({ whole, questions }) => {
    const [first, ...others] = questions as [Question, ...Question[]];
    const alone = <T>(who: Caller, use: (part: Engine) => Promise<T>) =>
      withIndex(folder, visiblePart(whole, who), use);
    await withIndex(folder, whole, async (full) => {
      const put = (part: Engine, asked: Question): Promise<number> => {
        tally.cases += asked.requests.length;
        return compare(full, part, asked, worldOf(asked.who, whole), tally);
      };
      await alone(first.who, async (part) => {
        await put(part, first);
        for (const asked of others) await alone(asked.who, (other) => put(other, asked));
        // The first caller again, now that the index has served others: nothing of theirs may linger.
        const again = { ...first, requests: first.requests.slice(0, 1) };
        await compare(full, part, again, worldOf(first.who, whole));
      });
    });
  });
}

/** What a caller gets does not move when hidden rows, texts, edges, vectors or access lists change. */
export function hiddenChanges(folder: string, tally: Tally) {
  const setting = settings.chain((declared) =>
    fc.record({
      one: corpusOf(declared),
      other: corpusOf(declared),
      asked: question(declared, REQUESTS_OF_MUTANTS),
    }),
  );
  return fc.asyncProperty(setting, async ({ one, other, asked }) => {
    const world = worldOf(asked.who, one, other);
    const before = await withIndex(folder, one, (engine) => askEverything(engine, asked, world));
    for (const [name, changed] of mutants(one, other, asked)) {
      const after = await withIndex(folder, changed, (engine) => askEverything(engine, asked, world));
      try {
        compareAll(before, after, asked);
      } catch (cause) {
        throw new Error(`changed: ${name}\n${(cause as Error).message}`);
      }
      tally.cases += asked.requests.length;
      tally.telling += before.filter(found).length;
    }
  });
}
