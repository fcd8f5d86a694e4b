import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Engine } from '../../dist/index.js';
import { temporaryFolder } from './indexes.js';
import { LEAKS, type Leak, type Patch } from './leaks.js';
import { type LeakyLibrary, leakyLibrary } from './leaky-library.js';
import { patience, runs } from './runs.js';

/**
 * Builds that leak on purpose: the properties of non-interference.test.ts, run over a copy of dist/ with one
 * mistake in it, must find it; over a copy without, they must hold for as many runs.
 */
const RUNS = 40;
type Properties = typeof import('./non-interference.js');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let library: LeakyLibrary | undefined;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  vi.doUnmock('../../dist/index.js');
  await library?.remove();
  library = undefined;
});
afterAll(() => folder.remove());

/** From here on, modules that are imported anew stand on a patched copy of dist/. */
async function standOn(patches: readonly Patch[]): Promise<void> {
  library = await leakyLibrary(patches);
  const { url } = library;
  vi.resetModules();
  vi.doMock('../../dist/index.js', () => import(/* @vite-ignore */ url));
}

async function check(property: 'scopedAnswers' | 'hiddenChanges', count: number) {
  const properties: Properties = await import('./non-interference.js');
  const tally = { cases: 0, telling: 0 };
  const made = properties[property](folder.path, tally);
  const { failed, numRuns, errorInstance } = await fc.check(made as fc.IAsyncProperty<unknown>, {
    ...runs(count),
    endOnFailure: true,
  });
  return { failed, numRuns, message: String((errorInstance as Error | undefined)?.message ?? '') };
}

const leaks = Object.entries<Leak>(LEAKS);

describe.each(['scopedAnswers', 'hiddenChanges'] as const)('%s over a copy of the build', (property) => {
  const visible = leaks.filter(([, { needsOthers }]) => !needsOthers || property === 'scopedAnswers');

  it.each(visible)(
    'finds %s',
    async (_name, { patches, shows }) => {
      await standOn(patches);
      const { failed, message } = await check(property, RUNS);
      expect(failed).toBe(true);
      expect(message.replace(/^changed: .*\n/, '')).toMatch(shows);
      expect(message).toContain(' against ');
    },
    patience(),
  );

  it(
    'finds nothing where nothing is patched',
    async () => {
      await standOn([]);
      const copy = await import('../../dist/index.js');
      expect(copy.Engine).not.toBe(Engine);
      expect(await check(property, RUNS)).toEqual({
        failed: false,
        numRuns: runs(RUNS).numRuns,
        message: '',
      });
    },
    patience(),
  );
});

/** Leaks that tell one term from another, which is what the player is after. */
const TELLING: [keyof typeof LEAKS, number][] = [
  ['document frequencies counted over all rows', 0.95],
  ['everything ranked over all rows, hidden ones dropped from the answer', 0.8],
  ['an error that tells hidden seeds from unknown ones', 0.95],
];

describe('the player of stress-attack.test.ts', () => {
  const score = async (patches: readonly Patch[]) => {
    await standOn(patches);
    const game: typeof import('./stress-game.js') = await import('./stress-game.js');
    return game.play(folder.path, { games: 1, seed: 2017 });
  };

  it.each(TELLING)(
    'wins by %s',
    async (name, advantage) => {
      expect((await score(LEAKS[name].patches)).advantage).toBeGreaterThanOrEqual(advantage);
    },
    patience(),
  );

  it(
    'wins nothing where nothing is patched',
    async () => {
      expect(await score([])).toMatchObject({ advantage: 0, found: 0, silent: 100 });
    },
    patience(),
  );
});

describe('a patch', () => {
  it.each(['no such text', 'const'])(
    'asks for its renewal unless its text %j occurs exactly once',
    async (from) => {
      const patch = { file: 'score/term.js', from, to: '' };
      await expect(leakyLibrary([patch])).rejects.toThrow(/not once, what the patch replaces; renew it/);
    },
  );
});
