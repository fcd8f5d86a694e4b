import { describe, expect, it } from 'vitest';
import { waitAfter } from '../../../dist/retrieve/embed/back-off.js';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7);

describe('the wait before the next attempt', () => {
  it('doubles from the first, to a minute', () => {
    const waits = [1, 2, 3, 4, 20].map((turn) => waitAfter(turn, null, 500, NOW));
    expect(waits).toEqual([500, 1000, 2000, 4000, 60_000]);
  });

  it.each([
    ['0', 0],
    ['7', 7000],
    [' 7 ', 7000],
    ['3600', 60_000],
    ['9'.repeat(40), 60_000],
    // Dates of RFC 9110, section 5.6.7.
    ['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Sun, 06 Nov 1994 18:00:00 GMT', 60_000],
  ])('is what Retry-After %j says', (header, wait) => {
    expect(waitAfter(3, header, 500, NOW)).toBe(wait);
  });

  it.each(['', '-1', '1.5', 'soon', '1e3', '1994-11-06', 'soon GMT'])('does not follow %j', (header) => {
    expect(waitAfter(3, header, 500, NOW)).toBe(2000);
  });
});
