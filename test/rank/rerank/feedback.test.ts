import { describe, expect, it } from 'vitest';
import {
  comboBoost,
  type FeedbackEvent,
  feedbackFrom,
  frecencyBoost,
  keywordCombo,
} from '../../../src/rank/rerank/feedback.js';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const event = (days: number, useful?: boolean, query = 'router drops headers'): FeedbackEvent => ({
  id: 'a',
  query,
  at: NOW - days * DAY,
  ...(useful === undefined ? {} : { useful }),
});
const on = (
  events: readonly FeedbackEvent[],
  text = 'router drops headers',
  by: 'agent' | 'human' = 'human',
) => feedbackFrom(text, events, { now: NOW, by }).get('a');

describe('boosts', () => {
  it('of a combo grow by .3 from the third hit to 3', () => {
    expect([0, 2, 3, 4, 50].map(comboBoost)).toEqual([1, 1, 1.3, 1.6, 3]);
  });

  it('of words grow by .12 a hit and their coverage, from the second hit to 1.6', () => {
    expect([keywordCombo(1, 1), keywordCombo(2, 1), keywordCombo(2, 0.5), keywordCombo(99, 1)]).toEqual([
      1,
      1 + 0.12 * 2,
      1 + 0.12 * 2 * 0.5,
      1.6,
    ]);
  });

  it('of frecency are 1.5 for sixteen uses today, and halve', () => {
    const sixteen = (age: number) => new Array<number>(16).fill(age);
    expect(frecencyBoost(sixteen(0), 10)).toBe(1.5);
    expect(frecencyBoost(sixteen(10), 10)).toBe(1.25);
    expect(frecencyBoost([...sixteen(0), ...sixteen(3)], 3)).toBe(1.5);
    expect(frecencyBoost([], 3)).toBe(1);
    expect(frecencyBoost([20], 10)).toBe(1 + 0.5 / 16 / 4);
  });
});

describe('feedback for a query', () => {
  it('is useful less not needed over all that was judged, where words are shared', () => {
    const events = [
      event(1, true),
      event(2, true),
      event(3, false),
      event(4),
      event(5, false, 'night shift'),
    ];
    expect(on(events)!.feedback).toBeCloseTo(1 / 3, 12);
    expect(on([event(1), event(2, true, 'the night of shifts')])!.feedback).toBeUndefined();
    expect(on([event(1, false)])!.feedback).toBe(-1);
  });

  it('forgets uses by halves: in 10 days, or 3 for agents', () => {
    expect(on([event(10)])!.frecency).toBe(1 + 0.5 / 32);
    expect(on([event(3)], undefined, 'agent')!.frecency).toBe(1 + 0.5 / 32);
    expect(on([event(0, false)])!.frecency).toBe(1);
  });

  it('counts what the same query led to, until it is over: 30 days, or 7 for agents', () => {
    const week = [1, 2, 3, 8, 29, 31].map((days) => event(days));
    expect(on(week)!.combo).toBe(comboBoost(5));
    // Words alone give no more than 1.6, and here they do.
    expect(on(week, undefined, 'agent')!.combo).toBe(1.6);
  });

  it('counts what queries with the same words led to, by how many words they cover', () => {
    const related = [event(1, undefined, 'router config'), event(2, undefined, 'headers')];
    expect(on(related)!.combo).toBeCloseTo(1 + 0.12 * 2 * (2 / 3), 12);
    expect(on([...related, event(3, false)])!.combo).toBe(1);
  });

  it('is for the nodes of its events, and blind to the future', () => {
    expect(on([event(-1, true)])).toBeUndefined();
    const found = feedbackFrom('router', [event(1, true), { ...event(1, false), id: 'b' }], { now: NOW });
    expect([...found].map(([id, { feedback }]) => [id, feedback])).toEqual([
      ['a', 1],
      ['b', -1],
    ]);
  });
});
