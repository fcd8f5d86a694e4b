import {
  bm25,
  defaultRetriever,
  dense,
  type Edge,
  type Engine,
  fused,
  graphCompletion,
  hybrid,
  pagerank,
  type Retriever,
} from '../../dist/index.js';
import { outcome } from './answers.js';
import { type Caller, type Corpus, type Row, randoms } from './corpora.js';
import { withIndex } from './indexes.js';
import {
  type Ask,
  letters,
  noteId,
  type Probes,
  StressPlayer,
  TURNS,
  victimId,
  type Way,
} from './stress-player.js';

/** Terms of a game, each of which is a round with a secret of its own. */
export const ROUNDS = 100;
const VICTIM_ROWS = 40;

export interface GameOptions {
  games: number;
  seed: number;
  /** Whether the player may read the victim's rows: then he must win. */
  open?: boolean;
}

export interface Score {
  rounds: number;
  /** Questions asked. */
  asked: number;
  /** Guesses of 1 where the secret was 1, and where it was 0. */
  hits: number;
  alarms: number;
  /** P(guess 1 | secret 1) - P(guess 1 | secret 0). */
  advantage: number;
  /** Rounds whose answers were the same bytes whatever the secret. */
  silent: number;
  /** Times that a term gave itself away, over both worlds. */
  found: number;
}

/**
 * Every round is played with its secret 1 and with its secret 0: a game is played in two worlds whose secrets
 * are each other's opposite, by the same player with the same random numbers. So the advantage is no estimate.
 */
export async function play(folder: string, { games, seed, open = false }: GameOptions): Promise<Score> {
  const score = { rounds: 0, asked: 0, hits: 0, alarms: 0, advantage: 0, silent: 0, found: 0 };
  for (let game = 0; game < games; game++) {
    const random = randoms(seed + game);
    const terms = Array.from({ length: ROUNDS }, (_, i) => letters(random, 5) + code(i));
    const secrets = terms.map(() => random(2) === 1);
    const opposite = secrets.map((secret) => !secret);
    const numbers = random(2 ** 31);
    const one = await world(folder, terms, secrets, numbers, open);
    const other = await world(folder, terms, opposite, numbers, open);
    terms.forEach((term, i) => {
      const [told, untold] = secrets[i] ? [one, other] : [other, one];
      score.rounds++;
      score.hits += Number(told.guesses.get(term));
      score.alarms += Number(untold.guesses.get(term));
      score.silent += Number(told.heard.get(term)!.join('\n') === untold.heard.get(term)!.join('\n'));
    });
    score.asked += one.asked + other.asked;
    score.found += one.found + other.found;
  }
  return { ...score, advantage: (score.hits - score.alarms) / score.rounds };
}

/** Two letters that no other round has. */
const code = (round: number): string =>
  letters((n) => round % n, 1) + letters((n) => Math.floor(round / n), 1);

interface Played {
  guesses: Map<string, boolean>;
  /** Per term, all that the player was answered. */
  heard: Map<string, string[]>;
  asked: number;
  found: number;
}

async function world(
  folder: string,
  terms: readonly string[],
  secrets: readonly boolean[],
  numbers: number,
  open: boolean,
): Promise<Played> {
  const player = new StressPlayer(terms, randoms(numbers));
  const hidden = victimPart(terms, secrets, randoms(numbers + 1), open);
  const probes: Probes = { rows: [], links: [] };
  const heard = new Map<string, string[]>(terms.map((term) => [term, []]));
  let asked = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const { rows, links } = player.probes(turn);
    probes.rows.push(...rows);
    probes.links.push(...links);
    await withIndex(folder, shared(hidden, probes), async (engine) => {
      for (const term of terms) {
        const ask: Ask = async (way, text) => {
          asked++;
          const answer = await WAYS[way](engine, text);
          heard.get(term)!.push(answer);
          return answer;
        };
        await player.play(turn, term, ask);
      }
    });
  }
  return { guesses: player.guesses(), heard, asked, found: player.found };
}

const PLAYER: Caller = { principal: { org: 'o', grants: ['player'] }, sources: ['s'] };

/** The victim's rows: about a term whose secret is 1, several say it again and again, one bears its name. */
function victimPart(
  terms: readonly string[],
  secrets: readonly boolean[],
  random: (n: number) => number,
  open: boolean,
): { rows: Row[]; edges: Edge[] } {
  const access = { org: 'o', source: 's', acl: open ? ['victim', 'player'] : ['victim'] };
  const texts: string[][] = Array.from({ length: VICTIM_ROWS }, () => ['report']);
  const edges: Edge[] = [];
  const notes: Row[] = [];
  terms.forEach((term, i) => {
    const times = 1 + random(5);
    const places = Array.from({ length: 3 + random(10) }, () => random(VICTIM_ROWS));
    if (!secrets[i]) return;
    for (const place of places) texts[place]!.push(...new Array<string>(times).fill(`${term} report`));
    notes.push({ ...access, id: noteId(term), text: `${term} report` });
    edges.push({ from: victimId(places[0]!), to: noteId(term) });
  });
  const rows = texts.map((words, n) => ({
    ...access,
    id: victimId(n),
    text: words.join(' '),
    embedding: [words.length, 1, n],
  }));
  return { rows: [...rows, ...notes], edges };
}

function shared(hidden: { rows: Row[]; edges: Edge[] }, { rows, links }: Probes): Corpus {
  const own = rows.map((row): Row => ({ ...row, org: 'o', source: 's', acl: ['player'] }));
  return {
    settings: {
      analyzer: 'english',
      fields: [],
      dimension: 3,
      embeddingModel: 'm',
      vectors: 'f32',
      accessTable: false,
    },
    nodes: [...hidden.rows, ...own],
    edges: [...hidden.edges, ...links],
  };
}

const text = (of: () => Promise<unknown>): Promise<string> =>
  outcome(of).then((told) => JSON.stringify(told));

const search =
  (make: () => Retriever) =>
  (engine: Engine, words: string): Promise<string> =>
    text(() =>
      engine.search(
        { ...PLAYER, text: words, k: 10, embedding: [1, 1, 0], embeddingModel: 'm' },
        { retriever: make(), explain: true },
      ),
    );

const WAYS: Record<Way, (engine: Engine, words: string) => Promise<string>> = {
  bm25: search(() => bm25()),
  joined: search(() => bm25({ form: 'joined' })),
  default: search(() => defaultRetriever()),
  hybrid: search(() => hybrid([bm25(), dense()])),
  fused: search(() => fused()),
  pagerank: search(() => pagerank()),
  'graph completion': search(() => graphCompletion({ seeder: bm25() })),
  walk: (engine, id) => text(() => engine.walk({ ...PLAYER, seeds: [{ id }] })),
};
