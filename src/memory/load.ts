import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type RecordBatch, tableFromIPC } from 'apache-arrow';
import { CorankError } from '../errors.js';
import type { Generation } from '../index/generation.js';
import type { Manifest, TableEntry, TableName } from '../index/schema.js';
import { type Layout, PAGE, planLayout, sizesOf } from './layout.js';

export interface LoadedTables {
  manifest: Manifest;
  memory: WebAssembly.Memory;
  layout: Layout;
  /** One record batch a table; its buffers lie in `memory`. */
  tables: ReadonlyMap<TableName, RecordBatch>;
}

const PIECE = 16 << 20;

/**
 * Reads a generation's files straight into one shared memory made for them and `threads` threads.
 * Sizes and checksums are compared before anything parses the bytes. Throws CORRUPT_INDEX naming the file,
 * INDEX_TOO_LARGE before allocation.
 */
export function loadTables(generation: Generation, threads: number): LoadedTables {
  const { manifest, folder } = generation;
  const layout = planLayout(sizesOf(manifest, threads));
  const pages = layout.bytes / PAGE;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  const tables = new Map<TableName, RecordBatch>();
  for (const [name, entry] of Object.entries(manifest.tables) as [TableName, TableEntry][]) {
    const path = join(folder, entry.file);
    const bytes = new Uint8Array(memory.buffer, layout.tables[name]!, entry.size);
    readInto(path, bytes, entry.crc32);
    tables.set(name, parse(path, bytes, entry.rows));
  }
  return { manifest, memory, layout, tables };
}

function readInto(path: string, bytes: Uint8Array, expected: number): void {
  let file: number;
  try {
    // A pipe would be waited for.
    if (!statSync(path).isFile()) throw new Error('it is no file');
    file = openSync(path, 'r');
  } catch (cause) {
    throw new CorankError('CORRUPT_INDEX', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  try {
    let crc = 0;
    let at = 0;
    while (at < bytes.length) {
      const read = readSync(file, bytes, at, Math.min(PIECE, bytes.length - at), null);
      if (read === 0) break;
      crc = crc32(bytes.subarray(at, at + read), crc);
      at += read;
    }
    const more = readSync(file, Buffer.alloc(1), 0, 1, null);
    if (at < bytes.length || more > 0) {
      throw new CorankError(
        'CORRUPT_INDEX',
        `${path} has ${more > 0 ? 'more than' : `${at} instead of`} ${bytes.length} bytes`,
      );
    }
    if (crc !== expected) {
      throw new CorankError(
        'CORRUPT_INDEX',
        `${path} is damaged: its checksum is ${crc}, the manifest says ${expected}`,
      );
    }
  } finally {
    closeSync(file);
  }
}

function parse(path: string, bytes: Uint8Array, rows: number): RecordBatch {
  try {
    checkFrame(bytes);
    const table = tableFromIPC(bytes);
    const batch = table.batches[0];
    if (batch === undefined || table.batches.length !== 1 || batch.numRows !== rows) {
      throw new Error(
        `it holds ${table.numRows} rows in ${table.batches.length} batches, expected ${rows} in 1`,
      );
    }
    return batch;
  } catch (cause) {
    throw new CorankError('CORRUPT_INDEX', `${path} is no table of this index: ${(cause as Error).message}`, {
      cause,
    });
  }
}

const MAGIC = Buffer.from('ARROW1');

/**
 * The frame of an Arrow file: magic, a schema message of a length that fits, and at the end the footer's length
 * and the magic again. Arrow's own reader may look for ever for what is not there.
 */
function checkFrame(bytes: Uint8Array): void {
  const head = Buffer.from(bytes.slice(0, 16));
  const tail = Buffer.from(bytes.slice(-10));
  const framed = head.length === 16 && head.subarray(0, 6).equals(MAGIC) && tail.subarray(4).equals(MAGIC);
  if (!framed || head.readInt16LE(6) !== 0 || head.readInt32LE(8) !== -1)
    throw new Error('it is no Arrow file');
  const schema = head.readInt32LE(12);
  const footer = tail.readInt32LE(0);
  if (schema <= 0 || schema % 8 !== 0 || footer <= 0 || 16 + schema + footer + 10 > bytes.length) {
    throw new Error('its messages have lengths that do not fit');
  }
  checkFooter(Buffer.from(bytes.slice(-10 - footer, -10)));
}

/** Places of the footer's dictionaries and record batches in its flatbuffer (File.fbs of Arrow). */
const DICTIONARIES = 8;
const RECORD_BATCHES = 10;

/** One record batch and no dictionary, counted before Arrow's reader asks for each: a garbled count has no end. */
function checkFooter(footer: Buffer): void {
  const [dictionaries, batches] = [DICTIONARIES, RECORD_BATCHES].map((field) => vectorLength(footer, field));
  if (dictionaries !== 0 || batches !== 1) throw new Error('its footer does not name one record batch');
}

/** Length of a vector field of a flatbuffer's root table; 0 when absent, -1 when an offset leaves the buffer. */
function vectorLength(buffer: Buffer, field: number): number {
  try {
    const root = buffer.readUInt32LE(0);
    const table = root - buffer.readInt32LE(root);
    const offset = field < buffer.readUInt16LE(table) ? buffer.readUInt16LE(table + field) : 0;
    if (offset === 0) return 0;
    const vector = root + offset;
    return buffer.readUInt32LE(vector + buffer.readUInt32LE(vector));
  } catch (cause) {
    if (cause instanceof RangeError) return -1;
    throw cause;
  }
}
