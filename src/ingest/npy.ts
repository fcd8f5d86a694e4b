/**
 * NumPy arrays of numbers: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 *   0: magic, 0x93 'NUMPY'
 *   6: major, minor version
 *   8: length of the header, u16 (version 1) or u32 (2, 3), little-endian
 *  10 or 12: header, a Python dictionary with descr, fortran_order and shape
 *  then: the numbers, row after row
 */

import type { FileHandle } from 'node:fs/promises';
import { CorankError } from '../errors.js';
import { openInput } from './bytes.js';
import { refusal } from './refusal.js';

export interface NpyMatrix {
  rows: number;
  columns: number;
  /** Row after row. */
  data: Float32Array;
}

interface Header {
  rows: number;
  columns: number;
  /** 4 or 8. */
  width: number;
  /** Offset of the first number. */
  start: number;
}

const MAGIC = Buffer.from('\x93NUMPY', 'latin1');
/** NumPy pads a header to some 128 bytes; one of a megabyte is not an array of numbers. */
const LONGEST_HEADER = 1 << 20;
/** A multiple of 8, so that a piece never ends inside a number. */
const PIECE_BYTES = 4 << 20;

export async function readNpy(path: string, options: { signal?: AbortSignal } = {}): Promise<NpyMatrix> {
  options.signal?.throwIfAborted();
  const handle = await openInput(path);
  try {
    const header = await readHeader(handle, path);
    const { rows, columns } = header;
    await checkSize(handle, header, path);
    const data = allocate(rows * columns, path);
    if (header.width === 4) await readFloats(handle, header, data, path, options.signal);
    else await readDoubles(handle, header, data, path, options.signal);
    return { rows, columns, data };
  } finally {
    await handle.close();
  }
}

async function readHeader(handle: FileHandle, file: string): Promise<Header> {
  const head = await readExactly(handle, Buffer.alloc(12), 0, file);
  if (!head.subarray(0, 6).equals(MAGIC)) {
    throw refusal('is not a .npy file (wrong first bytes); write it with numpy.save', { file });
  }
  const version = head[6]!;
  if (version < 1 || version > 3) {
    throw refusal(`has .npy version ${version}.${head[7]}; versions 1.0, 2.0 and 3.0 are read`, { file });
  }
  const length = version === 1 ? head.readUInt16LE(8) : head.readUInt32LE(8);
  const at = version === 1 ? 10 : 12;
  if (length > LONGEST_HEADER)
    throw refusal(`has a header of ${length} bytes; the file is damaged`, { file });
  const text = (await readExactly(handle, Buffer.alloc(length), at, file)).toString('utf8');
  return { ...parseHeader(text, file), start: at + length };
}

function parseHeader(text: string, file: string): Omit<Header, 'start'> {
  const descr = /'descr'\s*:\s*(?:'([^']*)'|(\[))/.exec(text);
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(text);
  const shape = /'shape'\s*:\s*\(([\d\s,]*)\)/.exec(text);
  if (descr === null || order === null || shape === null) {
    throw refusal('has a header without descr, fortran_order and shape; write the file with numpy.save', {
      file,
    });
  }
  const width = widthOf(descr[1] ?? '[', file);
  if (order[1] === 'True') {
    throw refusal('is in Fortran order; save numpy.ascontiguousarray(a) instead', { file });
  }
  const sizes = shape[1]!.split(',').flatMap((size) => (size.trim() === '' ? [] : [Number(size)]));
  if (sizes.length !== 2) {
    throw refusal(`has ${sizes.length} dimensions; vectors need two: one row per vector (numpy: a.reshape)`, {
      file,
    });
  }
  const [rows, columns] = sizes as [number, number];
  if (columns === 0) throw refusal('has rows of length 0; a vector needs at least one number', { file });
  if (!Number.isSafeInteger(rows * columns * width)) throw refusal('claims an impossible shape', { file });
  return { rows, columns, width };
}

function widthOf(descr: string, file: string): number {
  if (descr === '<f4') return 4;
  if (descr === '<f8') return 8;
  const advice = "save numpy.asarray(a, dtype='<f4') instead";
  if (descr.includes('O'))
    throw refusal(`holds pickled Python objects, which are never loaded; ${advice}`, { file });
  if (descr.startsWith('>')) throw refusal(`is big-endian (${descr}); ${advice}`, { file });
  if (descr === '[') throw refusal(`is a structured array; ${advice}`, { file });
  throw refusal(`holds ${JSON.stringify(descr)}; float32 (<f4) and float64 (<f8) are read: ${advice}`, {
    file,
  });
}

async function checkSize(handle: FileHandle, header: Header, file: string): Promise<void> {
  const { size } = await handle.stat();
  const expected = header.start + header.rows * header.columns * header.width;
  if (size === expected) return;
  const fault = size < expected ? 'truncated' : 'followed by bytes that do not belong to it';
  throw refusal(`has ${size} bytes where its header asks for ${expected}: it is ${fault}; write it again`, {
    file,
  });
}

function allocate(length: number, file: string): Float32Array {
  try {
    return new Float32Array(length);
  } catch (cause) {
    const message = `needs ${length * 4} bytes as float32, more than this machine can give; split it into shards`;
    throw new CorankError('INDEX_TOO_LARGE', message, { place: { file }, cause });
  }
}

/** Each piece is read into its place in `data`: little-endian, as every machine that Node runs on but one. */
async function readFloats(
  handle: FileHandle,
  header: Header,
  data: Float32Array,
  file: string,
  signal?: AbortSignal,
) {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    signal?.throwIfAborted();
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    await readExactly(handle, piece, header.start + at, file);
    const end = (at + piece.length) / 4;
    for (let i = at / 4; i < end; i++) {
      if (!Number.isFinite(data[i]!)) throw notFinite(data[i]!, i, header.columns, file);
    }
  }
}

async function readDoubles(
  handle: FileHandle,
  header: Header,
  data: Float32Array,
  file: string,
  signal?: AbortSignal,
) {
  const buffer = new Uint8Array(Math.min(PIECE_BYTES, data.length * 8));
  const doubles = new Float64Array(buffer.buffer);
  for (let done = 0; done < data.length; ) {
    signal?.throwIfAborted();
    const count = Math.min(doubles.length, data.length - done);
    await readExactly(handle, buffer.subarray(0, count * 8), header.start + done * 8, file);
    for (let i = 0; i < count; i++) {
      data[done + i] = doubles[i]!;
      if (!Number.isFinite(data[done + i]!)) throw notFinite(doubles[i]!, done + i, header.columns, file);
    }
    done += count;
  }
}

function notFinite(value: number, index: number, columns: number, file: string): CorankError {
  const where = `row ${Math.floor(index / columns)}, column ${index % columns} (both counted from 0)`;
  const fault = Number.isFinite(value) ? `${value}, which is too large for float32` : String(value);
  return refusal(`${where} holds ${fault}; vectors must be finite`, { file });
}

/** A read may come back short; a file that ends meanwhile is truncated. */
async function readExactly<B extends Uint8Array>(
  handle: FileHandle,
  into: B,
  position: number,
  file: string,
): Promise<B> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await handle.read(into, done, into.length - done, position + done);
    if (bytesRead === 0)
      throw refusal('ends too early: it is truncated, or not a .npy file; write it again', { file });
    done += bytesRead;
  }
  return into;
}
