// A process of its own, because a damaged header could hang or crash it: applies one damage after the other to
// the index at argv[2], opens, asks and verifies it, and prints one line of JSON per damage. argv[3] is a file
// with the list of damages, argv[4] the place in it to start at.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { bm25, dense, Engine, graphCompletion, pagerank } from '../../dist/index.js';
import { verifyIndex } from '../../dist/memory/verify.js';

const [, , index, plan, start] = process.argv;
const generation = join(index, readFileSync(join(index, 'CURRENT'), 'utf8').trim());
const manifestPath = join(generation, 'manifest.json');
const soundManifest = readFileSync(manifestPath, 'utf8');
const damages = JSON.parse(readFileSync(plan, 'utf8'));
const caller = { principal: { org: 'acme', grants: ['role:ops'] }, sources: ['handbook'] };

process.stdout.write('ready\n');
for (let i = Number(start); i < damages.length; i++) {
  const restore = apply(damages[i]);
  const outcome = await outcomeOf();
  restore();
  process.stdout.write(`${JSON.stringify({ i, outcome })}\n`);
}

/** Flips bits of a table and makes its checksums match, or replaces the manifest. Returns the way back. */
function apply({ table, flips, manifest }) {
  if (manifest !== undefined) {
    writeFileSync(manifestPath, manifest);
    return () => writeFileSync(manifestPath, soundManifest);
  }
  const path = join(generation, `${table}.arrow`);
  const sound = readFileSync(path);
  const bytes = Buffer.from(sound);
  for (const { at, bit } of flips) bytes[at] ^= 1 << bit;
  const listed = JSON.parse(soundManifest);
  listed.tables[table].crc32 = crc32(bytes);
  listed.tables[table].sha256 = createHash('sha256').update(bytes).digest('hex');
  writeFileSync(path, bytes);
  writeFileSync(manifestPath, JSON.stringify(listed));
  return () => {
    writeFileSync(path, sound);
    writeFileSync(manifestPath, soundManifest);
  };
}

/** Codes of what was refused, `answered`, or what went wrong: `raw` (no CorankError) and `insane` (no number). */
async function outcomeOf() {
  const outcomes = new Set();
  const step = async (name, ask) => {
    try {
      outcomes.add((await ask()) ?? 'answered');
    } catch (error) {
      outcomes.add(error?.name === 'CorankError' ? error.code : `raw ${name}: ${error?.stack ?? error}`);
    }
  };
  let engine;
  await step('open', async () => {
    engine = await Engine.open(index, { threads: 0 });
  });
  if (engine !== undefined) {
    const text = 'apple "green apple" tree';
    const embedding = [1, 0.5, 0, 0];
    const retrievers = [bm25(), dense(), pagerank(), graphCompletion({ seeder: bm25() })];
    for (const retriever of retrievers) {
      await step(retriever.name, async () =>
        insane(await engine.search({ text, embedding, ...caller }, { retriever, explain: true })),
      );
    }
    await step('walk', async () => {
      const { ids, forward, reverse } = await engine.walk({ seeds: [{ id: 'a' }], ...caller });
      const bad = [...forward, ...reverse].find((score) => !(score >= 0 && score <= 1 + 1e-9));
      return bad === undefined && ids.every((id) => typeof id === 'string')
        ? undefined
        : `insane walk ${bad}`;
    });
    await step('filter', async () => {
      const filters = ['year', 'tag'].map((field) => ({ field, op: '!=', value: '7' }));
      return insane(await engine.search({ text, filters, ...caller }, { retriever: bm25() }));
    });
    await engine.close();
  }
  await step('verify', async () => {
    await verifyIndex(index);
  });
  return [...outcomes];
}

function insane({ candidates }) {
  const bad = candidates.find(
    ({ id, score }) => typeof id !== 'string' || id === '' || !Number.isFinite(score),
  );
  return bad === undefined ? undefined : `insane ${JSON.stringify(bad).slice(0, 100)}`;
}
