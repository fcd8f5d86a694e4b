import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../assembly/check.mjs', import.meta.url));
const kernels = fileURLToPath(new URL('../../dist/kernels/kernels.wasm', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'corank-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

function check(...files: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [script, ...files], { encoding: 'utf8' });
  return { status, stderr };
}

function checkBytes(bytes: number[]) {
  const file = join(folder, 'module.wasm');
  writeFileSync(file, Uint8Array.from(bytes));
  return check(file);
}

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const section = (id: number, ...content: number[]) => [id, content.length, ...content];
const text = (word: string) => [word.length, ...Buffer.from(word)];

/** env.memory, kind 2, flags 3 (has a maximum, shared), 1 to 65536 pages. */
const MEMORY = [...text('env'), ...text('memory'), 2, 3, 1, 0x80, 0x80, 4];
const IMPORTS = section(2, 1, ...MEMORY);
const FUNCTION = [...section(1, 1, 0x60, 0, 0), ...IMPORTS, ...section(3, 1, 0)];
const CODE = section(10, 1, 2, 0, 0x0b);
const GLOBAL = section(6, 1, 0x7f, 1, 0x41, 0, 0x0b);
const DATA = section(11, 1, 0, 0x41, 0, 0x0b, 1, 42);

describe('assembly/check.mjs', () => {
  it('passes the module that is shipped', () => {
    expect(check(kernels)).toEqual({ status: 0, stderr: '' });
  });

  it('passes functions over an imported shared memory', () => {
    const bytes = [...HEADER, ...FUNCTION, ...CODE];
    expect(WebAssembly.validate(Uint8Array.from(bytes))).toBe(true);
    expect(checkBytes(bytes)).toEqual({ status: 0, stderr: '' });
  });

  it.each([
    ['a data segment', [...HEADER, ...IMPORTS, ...DATA], 'it has a data segment'],
    ['a data count', [...HEADER, ...IMPORTS, ...section(12, 0)], 'it has a data count'],
    ['a global', [...HEADER, ...IMPORTS, ...GLOBAL], 'it has a global'],
    ['a table', [...HEADER, ...IMPORTS, ...section(4, 1, 0x70, 0, 1)], 'it has a table'],
    ['a start function', [...HEADER, ...FUNCTION, ...section(8, 0), ...CODE], 'it has a start function'],
    ['a memory of its own', [...HEADER, ...section(5, 1, 0, 1)], 'it has a memory of its own'],
    [
      'an imported function',
      [
        ...HEADER,
        ...section(1, 1, 0x60, 0, 0),
        ...section(2, 2, ...MEMORY, ...text('env'), ...text('abort'), 0, 0),
      ],
      'it imports env.abort (function)',
    ],
    [
      'an imported global',
      [...HEADER, ...section(2, 1, ...text('env'), ...text('base'), 3, 0x7f, 0)],
      'it imports env.base (global)',
    ],
    [
      'a memory that is not shared',
      [...HEADER, ...section(2, 1, ...text('env'), ...text('memory'), 2, 0, 1)],
      'its memory is not shared',
    ],
  ])('refuses %s', (_, bytes, sentence) => {
    expect(WebAssembly.validate(Uint8Array.from(bytes))).toBe(true);
    const { status, stderr } = checkBytes(bytes);
    expect(status).toBe(1);
    expect(stderr).toBe(`check: ${join(folder, 'module.wasm')}: ${sentence}\n`);
  });

  it.each([
    ['a module without any memory', HEADER, 'it does not import env.memory'],
    ['a module that is cut off', [...HEADER, ...IMPORTS.slice(0, -3)], 'the module is cut off'],
    ['a file that is no module', [1, 2, 3, 4, 5, 6, 7, 8], 'it is not a WebAssembly module of version 1'],
  ])('refuses %s', (_, bytes, sentence) => {
    expect(checkBytes(bytes)).toMatchObject({ status: 1, stderr: expect.stringContaining(sentence) });
  });

  it('refuses a file that is not there', () => {
    const { status, stderr } = check(join(folder, 'none.wasm'));
    expect(status).toBe(1);
    expect(stderr).toContain('ENOENT');
    expect(check().stderr).toContain('usage');
  });
});
