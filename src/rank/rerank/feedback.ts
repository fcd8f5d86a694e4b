import { STOP_WORDS } from '../../ingest/stop-words.js';
import type { RerankCandidate } from './batch.js';
import { overlap, signatureTokens } from './tokens.js';

/** What happened to a node that some query led to. */
export interface FeedbackEvent {
  /** Of the node. */
  id: string;
  /** The text that was asked. */
  query: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether it was said to be useful, or not needed; absent: it was only used. */
  useful?: boolean;
}

export interface FeedbackOptions {
  /** Milliseconds since 1970: later events are not looked at. */
  now: number;
  /** Who gave it: agents forget sooner than people. Default `human`. */
  by?: 'agent' | 'human';
}

export type Feedback = Pick<RerankCandidate, 'feedback' | 'frecency' | 'combo'>;

const DAY = 86_400_000;
/** Days after which half of frecency is left, and after which a combo is over (spec A.5). */
const MEMORY = { agent: { halfLife: 3, expires: 7 }, human: { halfLife: 10, expires: 30 } } as const;
/** Uses that count for frecency. */
const USES = 16;

/**
 * What earlier answers say for a query, by node: `feedback` (useful - not needed) / all, of events whose query shares a
 * word with this one; `frecency` and `combo` as boosts. For the provider of `rerank`.
 */
export function feedbackFrom(
  text: string,
  events: readonly FeedbackEvent[],
  { now, by = 'human' }: FeedbackOptions,
): Map<string, Feedback> {
  const byNode = new Map<string, FeedbackEvent[]>();
  for (const event of events) {
    if (event.at > now) continue;
    const known = byNode.get(event.id) ?? [];
    known.push(event);
    byNode.set(event.id, known);
  }
  const words = keywords(text);
  return new Map(
    [...byNode].map(([id, own]) => [id, feedbackOn(text, words, own, now, MEMORY[by])] as const),
  );
}

function feedbackOn(
  text: string,
  words: ReadonlySet<string>,
  events: readonly FeedbackEvent[],
  now: number,
  { halfLife, expires }: { halfLife: number; expires: number },
): Feedback {
  const used = events.filter(({ useful }) => useful !== false);
  const related = events.filter(({ query }) => overlap(words, keywords(query)) > 0);
  const judged = related.filter(({ useful }) => useful !== undefined);
  const net = (list: readonly FeedbackEvent[]): number =>
    list.reduce((sum, { useful }) => sum + (useful === false ? -1 : 1), 0);
  const same = used.filter(({ query, at }) => query.trim() === text.trim() && now - at <= expires * DAY);
  const covered = new Set(related.flatMap(({ query }) => [...keywords(query)]));
  return {
    ...(judged.length === 0 ? {} : { feedback: net(judged) / judged.length }),
    frecency: frecencyBoost(
      used.map(({ at }) => (now - at) / DAY),
      halfLife,
    ),
    combo: Math.max(comboBoost(same.length), keywordCombo(net(related), overlap(words, covered))),
  };
}

const keywords = (text: string): Set<string> =>
  new Set([...signatureTokens(text)].filter((word) => !STOP_WORDS.has(word)));

/** 1 to 1.5: the last 16 uses, each by half as much after every half-life. Ages and half-life in days. */
export function frecencyBoost(ages: readonly number[], halfLife: number): number {
  const latest = [...ages].sort((a, b) => a - b).slice(0, USES);
  return 1 + (0.5 * latest.reduce((sum, age) => sum + 2 ** (-Math.max(0, age) / halfLife), 0)) / USES;
}

/** 1 to 3: how often this very query led to the node; from the third time on. */
export const comboBoost = (hits: number): number => (hits < 3 ? 1 : Math.min(3, 1 + 0.3 * (hits - 2)));

/** 1 to 1.6: how often queries with the same words did, by the share of the words that they cover; from the second on. */
export const keywordCombo = (hits: number, coverage: number): number =>
  hits < 2 ? 1 : Math.min(1.6, 1 + 0.12 * hits * coverage);
