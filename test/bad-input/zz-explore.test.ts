import { readFileSync, statSync } from 'node:fs';
import { it } from 'vitest';
import { sound } from './corpus.js';
import { type Damage, failuresUnder, generationOf, tablePath, tablesOf } from './damage.js';
it('x', async () => {
  const { path } = await sound();
  for (const table of tablesOf(path).filter((t) => (process.env.ONLY ?? t).includes(t))) {
    const size = statSync(tablePath(path, table)).size;
    const damages: Damage[] = [];
    const stride = Number(process.env.STRIDE ?? 1);
    for (let at = 0; at < size; at += stride) for (const bit of (process.env.BITS ?? '0,7').split(',')) damages.push({ name: `${table}@${at}.${bit}`, table, flips: [{ at, bit: Number(bit) }] });
    const t0 = Date.now();
    const f = await failuresUnder(path, damages);
    const groups = new Map<string, string[]>();
    for (const x of f) { const [n, ...r] = x.split(': '); const k = r.join(': ').replace(/\d+/g, '#').slice(0, 400); groups.set(k, [...(groups.get(k) ?? []), n!]); }
    console.log(table, size, damages.length, 'ms', Date.now() - t0, 'failures', f.length);
    for (const [k, v] of groups) console.log('   ', v.length, v.slice(0, 5).join(' '), '=>', k);
  }
}, 3_000_000);
