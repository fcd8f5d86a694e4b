/** What the attacker writes into the shared index: his own rows, which he alone reads, and links from them. */
export interface ProbeRow {
  id: string;
  title?: string;
  text: string;
}
export interface Link {
  from: string;
  to: string;
  weight?: number;
}
export interface Probes {
  rows: ProbeRow[];
  links: Link[];
}

/** Ways to ask the shared index; what comes back is the answer as JSON text. */
export type Way =
  | 'bm25'
  | 'joined'
  | 'default'
  | 'hybrid'
  | 'fused'
  | 'pagerank'
  | 'graph completion'
  | 'walk';
export type Ask = (way: Way, text: string) => Promise<string>;

/** How the victim names rows, which the player has guessed. They stand behind his own where scores tie. */
export const victimId = (n: number): string => `~victim:${n}`;
export const noteId = (word: string): string => `~note:${word}`;

/** How often the player may add rows, and so how often he asks about each term. */
export const TURNS = 3;

/**
 * The attacker of STRESS (Wang et al., IEEE S&P 2017), who learns from relevance scores in how many rows of
 * others a term occurs. He pairs every term with a word that he made up, writes the same rows about both and asks
 * the same about both. Nobody else can have written the made-up word, so that whatever differs between the two
 * answers, in scores, explanations, counts, reasons or order, tells of others' rows. He goes on with new rows and
 * other retrievers as long as a term has not given itself away.
 */
export class StressPlayer {
  private readonly decoys: ReadonlyMap<string, string>;
  private readonly given = new Set<string>();
  private readonly read: Read;

  constructor(
    private readonly terms: readonly string[],
    private readonly random: (n: number) => number,
  ) {
    this.decoys = new Map(terms.map((term) => [term, `zz${letters(random, 3)}${term.slice(-2)}`]));
    this.read = reader([...this.decoys].flat());
  }

  /** Rows to add before a turn: none about terms that are known by now. */
  probes(turn: number): Probes {
    const pairs = [...this.decoys].filter(([term]) => !this.given.has(term));
    const all = pairs.flatMap(([term, decoy]) => [probesAbout(term, turn), probesAbout(decoy, turn)]);
    return { rows: all.flatMap(({ rows }) => rows), links: all.flatMap(({ links }) => links) };
  }

  /** One round's share of a turn. */
  async play(turn: number, term: string, ask: Ask): Promise<void> {
    const decoy = this.decoys.get(term)!;
    for (const trick of TRICKS[turn]!) {
      if (this.given.has(term)) return;
      if (await trick(ask, this.read, term, decoy)) this.given.add(term);
    }
  }

  /** Once a term has given itself away the silence of others means no. Before that, the toss of a coin. */
  guesses(): Map<string, boolean> {
    const speaks = this.given.size > 0;
    return new Map(this.terms.map((term) => [term, speaks ? this.given.has(term) : this.random(2) === 1]));
  }

  /** Terms that have given themselves away. */
  get found(): number {
    return this.given.size;
  }
}

/** Words of a length, without vowels so that no stemmer knows them. */
export const letters = (random: (n: number) => number, length: number): string =>
  Array.from({ length }, () => 'bcdfghjkmnpqrtvwx'[random(17)]).join('');

/** An answer as the player compares it. */
type Read = (answer: string) => string;
type Trick = (ask: Ask, read: Read, term: string, decoy: string) => Promise<boolean>;

/** The same question about both words, and whether the answers differ in more than the word. */
const compare =
  (way: Way, text: (word: string) => string): Trick =>
  async (ask, read, term, decoy) =>
    read(await ask(way, text(term))) !== read(await ask(way, text(decoy)));

/**
 * Answers without what decides among ties, his words and the steps of ways of equal shares, and with numbers short of
 * their last digits: sums over the same rows in another order differ there.
 */
function reader(words: Iterable<string>): Read {
  const own = new RegExp([...words].join('|'), 'g');
  return (answer) =>
    answer
      .replace(own, '#')
      .replace(/"steps":\[[^\]]*\]/g, '')
      .replace(/\d+\.\d+(e-?\d+)?/g, (number) => Number(number).toPrecision(9));
}

/** Both words at once: rows about them tie unless one is rarer, and a tie goes to the term, whose rows come first. */
const order: Trick = async (ask, _read, term, decoy) => {
  const answer = await ask('bm25', `${term} ${decoy}`);
  return answer.indexOf(`"id":"${decoy}:`) < answer.indexOf(`"id":"${term}:`);
};

const TRICKS: readonly (readonly Trick[])[] = [
  [compare('bm25', (word) => word), compare('default', (word) => word)],
  [
    compare('joined', (word) => `${word} ${word}`),
    compare('bm25', (word) => `"${word} report"`),
    compare('graph completion', (word) => word),
    compare('pagerank', (word) => word),
  ],
  [
    order,
    compare('hybrid', (word) => `${word} ${word}`),
    compare('fused', (word) => word),
    compare('walk', (word) => noteId(word)),
  ],
];

/** One short row; then two that repeat the word, linked to each other and to rows of the victim; then three. */
function probesAbout(word: string, turn: number): Probes {
  const id = (n: number): string => `${word}:${n}`;
  if (turn === 0) return { rows: [{ id: id(0), text: `${word} report` }], links: [] };
  if (turn === 2) return { rows: [3, 4, 5].map((n) => ({ id: id(n), text: word })), links: [] };
  const text = `${word} ${word} ${word} report`;
  const hubs = Array.from({ length: 10 }, (_, n) => ({ from: id(0), to: victimId(n), weight: 2 }));
  return {
    rows: [1, 2].map((n) => ({ id: id(n), title: word, text })),
    links: [{ from: id(0), to: id(1) }, { from: id(1), to: id(2) }, { from: id(2), to: id(0) }, ...hubs],
  };
}
