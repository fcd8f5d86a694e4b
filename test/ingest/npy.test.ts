import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNpy } from '../../src/ingest/npy.js';
import { inputFolder, refusalOf, SHARED } from './files.js';

const files = inputFolder();

/** As numpy.lib.format writes it: header padded with spaces to a multiple of 64, ended by a line feed. */
function npy(header: string, data: Uint8Array, version: 1 | 2 | 3 = 1): Buffer {
  const lengthBytes = version === 1 ? 2 : 4;
  const unpadded = 8 + lengthBytes + header.length + 1;
  const text = `${header}${' '.repeat((64 - (unpadded % 64)) % 64)}\n`;
  const head = Buffer.alloc(8 + lengthBytes);
  head.write('\x93NUMPY', 'latin1');
  head[6] = version;
  if (version === 1) head.writeUInt16LE(text.length, 8);
  else head.writeUInt32LE(text.length, 8);
  return Buffer.concat([head, Buffer.from(text), data]);
}

function dict(descr: string, shape: string, fortran = 'False'): string {
  return `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': ${shape}, }`;
}

function bytes(numbers: Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

const floats = (...numbers: number[]) => bytes(Float32Array.from(numbers));
const doubles = (...numbers: number[]) => bytes(Float64Array.from(numbers));
const read = (content: Uint8Array) => readNpy(files.write('m.npy', content));

describe('readNpy', () => {
  it('reads back any matrix, float32 or float64, in all three versions', async () => {
    const matrix = fc.record({
      rows: fc.integer({ min: 0, max: 5 }),
      columns: fc.integer({ min: 1, max: 5 }),
      version: fc.constantFrom<1 | 2 | 3>(1, 2, 3),
      wide: fc.boolean(),
      seed: fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 25, maxLength: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(matrix, async ({ rows, columns, version, wide, seed }) => {
        const numbers = Float32Array.from(seed.slice(0, rows * columns));
        const data = wide ? bytes(Float64Array.from(numbers)) : bytes(numbers);
        const path = files.write(
          'any.npy',
          npy(dict(wide ? '<f8' : '<f4', `(${rows}, ${columns})`), data, version),
        );
        expect(await readNpy(path)).toEqual({ rows, columns, data: numbers });
      }),
    );
  });

  it.each([4, 8])('reads a matrix larger than one piece, %i bytes a number', async (width) => {
    const numbers = Float32Array.from({ length: 3_000_003 }, (_, i) => i % 1021);
    const data = width === 4 ? bytes(numbers) : bytes(Float64Array.from(numbers));
    const matrix = await read(npy(dict(`<f${width}`, '(1000001, 3)'), data));
    expect(matrix.rows).toBe(1_000_001);
    expect(Buffer.from(matrix.data.buffer).equals(Buffer.from(numbers.buffer))).toBe(true);
  });

  it('rounds float64 to the nearest float32', async () => {
    expect((await read(npy(dict('<f8', '(1, 1)'), doubles(0.1)))).data[0]).toBe(Math.fround(0.1));
  });

  it.each([
    ['pickled objects', npy(dict('|O', '(1, 1)'), floats(1)), /pickled Python objects/],
    ['Fortran order', npy(dict('<f4', '(1, 1)', 'True'), floats(1)), /Fortran order/],
    ['big-endian numbers', npy(dict('>f4', '(1, 1)'), floats(1)), /big-endian \(>f4\)/],
    ['integers', npy(dict('<i8', '(1, 1)'), doubles(1)), /holds "<i8"; float32/],
    ['half floats', npy(dict('<f2', '(1, 2)'), floats(1)), /holds "<f2"/],
    [
      'structured arrays',
      npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1), }", floats(1)),
      /structured/,
    ],
    ['one dimension', npy(dict('<f4', '(2,)'), floats(1, 2)), /has 1 dimensions/],
    ['no dimension', npy(dict('<f4', '()'), floats(1)), /has 0 dimensions/],
    ['three dimensions', npy(dict('<f4', '(1, 1, 1)'), floats(1)), /has 3 dimensions/],
    ['rows of length 0', npy(dict('<f4', '(3, 0)'), floats()), /rows of length 0/],
    ['an impossible shape', npy(dict('<f4', '(9007199254740993, 9)'), floats()), /impossible shape/],
    ['missing bytes', npy(dict('<f4', '(2, 2)'), floats(1, 2, 3)), /truncated/],
    ['trailing bytes', npy(dict('<f4', '(1, 2)'), floats(1, 2, 3)), /bytes that do not belong/],
    ['another magic', Buffer.from('PK\x03\x04 a zip file'), /not a \.npy file \(wrong first bytes\)/],
    ['a newer version', Buffer.from('\x93NUMPY\x04\x00        ', 'latin1'), /version 4\.0/],
    ['an empty file', Buffer.alloc(0), /ends too early/],
    ['a header cut short', npy(dict('<f4', '(1, 2)'), floats(1)).subarray(0, 40), /ends too early/],
    ['NaN', npy(dict('<f4', '(2, 2)'), floats(1, 2, Number.NaN, 4)), /row 1, column 0 .*holds NaN/],
    [
      'Infinity',
      npy(dict('<f8', '(2, 2)'), doubles(1, 2, 3, -Infinity)),
      /row 1, column 1 .*holds -Infinity/,
    ],
    [
      'float64 beyond float32',
      npy(dict('<f8', '(2, 1)'), doubles(1, 1e39)),
      /row 1, .*1e\+39, which is too large/,
    ],
  ])('refuses %s by name', async (_, content, says) => {
    await refusalOf(() => read(content), [/m\.npy: /, says]);
  });

  it('refuses a missing path and a folder', async () => {
    await refusalOf(() => readNpy(files.path('none.npy')), [/none\.npy: .*no such file/]);
    await refusalOf(() => readNpy(files.dir), [/it is a folder/]);
  });

  it("rejects with the signal's reason", async () => {
    await expect(readNpy(files.dir, { signal: AbortSignal.abort('why') })).rejects.toBe('why');
  });

  it.each([
    ['scifact', 'use-lite-512.docs', 5183, 512],
    ['cacm', 'lsa-128.queries', 64, 128],
    ['2wiki-164', 'lsa-128.docs', 7005, 128],
  ])('reads the unit rows of %s %s', async (set, name, rows, columns) => {
    const matrix = await readNpy(join(SHARED, set, 'embeddings', `${name}.npy`));
    expect([matrix.rows, matrix.columns]).toEqual([rows, columns]);
    for (let row = 0; row < rows; row += 97) {
      const norm = Math.hypot(...matrix.data.subarray(row * columns, (row + 1) * columns));
      // Rows without text are zero.
      if (norm > 0) expect(norm).toBeCloseTo(1, 5);
    }
  });
});
