import { describe, expect, it } from 'vitest';
import { treeOf } from './tree.js';

/** Input that nobody wrote by hand: bounded in time, counted, never a crash. */
const CASES: [name: string, path: string, content: string | Uint8Array][] = [
  ['a megabyte of brackets', 'a.js', `${'['.repeat(500_000)}\n${']'.repeat(500_000)}`],
  ['a megabyte of open brackets in lines', 'a.ts', '(((((((((((((((((((((((((((((((\n'.repeat(32_000)],
  ['100,000 levels of blocks', 'a.js', `${'{\n'.repeat(100_000)}${'}\n'.repeat(100_000)}`],
  ['100,000 nested calls', 'a.py', `x = ${'f(\n'.repeat(100_000)}1${')\n'.repeat(100_000)}`],
  ['100,000 nested functions', 'b.js', `${'function f() {\n'.repeat(100_000)}${'}\n'.repeat(100_000)}`],
  ['a chain of 100,000 members', 'c.js', `a${'\n.b()'.repeat(100_000)};`],
  ['invalid UTF-8', 'd.js', new Uint8Array([...Buffer.from('function f() {}\n'), 0xff, 0xfe, 0xc3, 0x28])],
  ['lone surrogates as text has them', 'e.js', 'function g() { return "\ud800"; }\n'],
  ['a grammar error in every line', 'f.rs', 'fn ) { let = ; } }\n'.repeat(20_000)],
  ['nothing', 'g.go', ''],
];

describe('a source file of', () => {
  it.each(CASES)(
    '%s',
    async (_, path, content) => {
      const { nodes, report } = await treeOf({ [path]: content });
      expect(report.files + Object.values(report.skipped).reduce((sum, count) => sum + count, 0)).toBe(1);
      for (const { id, text } of nodes) expect([id, text].every((value) => value?.isWellFormed())).toBe(true);
    },
    60_000,
  );

  it('20 MB in one line is left out, and counted', async () => {
    const { report } = await treeOf({ 'big.js': `var a = "${'x'.repeat(20 * 2 ** 20)}";` });
    expect(report.skipped).toEqual({ too_large: 1 });
  });
});
