/** A document as the analyzer leaves it: field -> stemmed, stop-free tokens. */
export type Tokens = Readonly<Record<string, readonly string[]>>;

export interface Bm25Settings {
  /** 'fields': each frequency is divided by its own field's norm. 'joined': summed over the fields first. */
  form: 'fields' | 'joined';
  /** In the order in which they are summed. `b` counts in the 'fields' form only. */
  fields: readonly { name: string; weight: number; b: number }[];
  k1: number;
  /** Length normalisation of the 'joined' form and of pairs. */
  b: number;
  /** Weight of ordered pairs of neighbouring query terms; 0 for none. */
  pairs: number;
}

/**
 * BM25 of a whole corpus, everything counted anew over the documents given (the visible ones).
 * score = sum over query tokens, in order, of idf * f (k1 + 1) / (f + k1)
 *       + pairs * sum over neighbouring unequal query tokens of the same with the pair's frequency
 * idf = ln(1 + (N - df + .5) / (df + .5)); a repeated token counts as often as it stands.
 */
export function bm25(corpus: readonly Tokens[], query: readonly string[], settings: Bm25Settings): number[] {
  const { k1, pairs } = settings;
  const scores = corpus.map(() => 0);
  for (const term of query) {
    const frequencies = termFrequencies(corpus, term, settings);
    addTerm(scores, frequencies, k1, 1);
  }
  for (let i = 1; pairs !== 0 && i < query.length; i++) {
    const [first, second] = [query[i - 1]!, query[i]!];
    if (first === second) continue;
    addTerm(scores, pairFrequencies(corpus, first, second, settings), k1, pairs);
  }
  return scores;
}

function addTerm(scores: number[], frequencies: number[], k1: number, factor: number): void {
  const df = frequencies.filter((f) => f > 0).length;
  const weight = factor * idf(scores.length, df) * (k1 + 1);
  frequencies.forEach((f, row) => {
    if (f > 0) scores[row]! += weight * (f / (f + k1));
  });
}

export function idf(n: number, df: number): number {
  return Math.log(1 + (n - df + 0.5) / (df + 0.5));
}

/** Normalised frequency of a term in every document. */
function termFrequencies(
  corpus: readonly Tokens[],
  term: string,
  { form, fields, b }: Bm25Settings,
): number[] {
  if (form === 'fields') {
    const averages = fields.map(({ name }) =>
      mean(corpus.map((document) => tokensOf(document, name).length)),
    );
    return corpus.map((document) => {
      let f = 0;
      fields.forEach((field, j) => {
        const tokens = tokensOf(document, field.name);
        const frequency = count(tokens, term);
        // A field that lacks the term adds nothing, even where b = 1 makes the norm of an empty field 0.
        if (frequency > 0) f += (field.weight * frequency) / norm(field.b, tokens.length, averages[j]!);
      });
      return f;
    });
  }
  const lengths = corpus.map((document) => joinedLength(document, fields));
  const average = mean(lengths);
  return corpus.map((document, row) => {
    let f = 0;
    for (const { name, weight } of fields) f += weight * count(tokensOf(document, name), term);
    return f === 0 ? 0 : f / norm(b, lengths[row]!, average);
  });
}

/** Normalised frequency of `first` standing right before `second` in one field, fields unweighted. */
function pairFrequencies(
  corpus: readonly Tokens[],
  first: string,
  second: string,
  { fields, b }: Bm25Settings,
): number[] {
  const unweighted = fields.map((field) => ({ ...field, weight: 1 }));
  const lengths = corpus.map((document) => joinedLength(document, unweighted));
  const average = mean(lengths);
  return corpus.map((document, row) => {
    let f = 0;
    for (const { name } of fields) {
      const tokens = tokensOf(document, name);
      f += tokens.filter((token, at) => token === second && tokens[at - 1] === first).length;
    }
    return f === 0 ? 0 : f / norm(b, lengths[row]!, average);
  });
}

/** Weighted like the frequencies: a field of weight 3 counts as if it stood there three times. */
function joinedLength(document: Tokens, fields: readonly { name: string; weight: number }[]): number {
  let length = 0;
  for (const { name, weight } of fields) length += weight * tokensOf(document, name).length;
  return length;
}

/** Where no document has the field, the average is 0 and so is every length. */
function norm(b: number, length: number, average: number): number {
  return 1 - b + b * (average === 0 ? 0 : length / average);
}

function tokensOf(document: Tokens, field: string): readonly string[] {
  return document[field] ?? [];
}

function count(tokens: readonly string[], term: string): number {
  return tokens.filter((token) => token === term).length;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
