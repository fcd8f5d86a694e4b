import { createHash } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { CorankError } from '../errors.js';
import type { WrittenFile } from './arrow-file.js';
import type { GraphShape } from './hnsw.js';

/** Read at a time; longer than any record. */
const PIECE = 4 << 20;
const HEADER = 96;
/** No generator of levels gets so high. */
const MAX_LEVEL = 63;

/**
 * Reads the file of a graph from end to end and returns its size and checksums, taken from the bytes that were checked.
 * The package follows what a file says without looking: a link out of range is a read out of bounds. So every
 * number that it will follow is checked. Throws CORRUPT_INDEX naming the file.
 *
 *   0  u64 0, u64 rows, u64 rows, u64 bytes of an element, u64 offset of its label, u64 offset of its vector
 *   48 i32 highest level, u32 the element where searches start
 *   56 u64 m, u64 2m, u64 m, f64 a factor of levels, u64 efConstruction
 *   96 rows elements: u32 number of links on level 0, u32[2m] links, f32[dimension] vector, u64 label
 *      rows lists: u32 bytes, then for each level from 1: u32 number of links, u32[m] links
 */
export async function checkGraphFile(
  path: string,
  shape: Omit<GraphShape, 'efConstruction'>,
): Promise<WrittenFile> {
  let file: FileHandle;
  try {
    // A pipe would be waited for.
    if (!(await stat(path)).isFile()) throw new Error('it is no file');
    file = await open(path, 'r');
  } catch (cause) {
    throw new CorankError('CORRUPT_INDEX', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  try {
    const feed = new Feed(file);
    const header = readHeader(await feed.take(HEADER), shape);
    await readElements(feed, shape);
    await readLinks(feed, shape, header);
    return await feed.finish();
  } catch (cause) {
    if (!(cause instanceof Wrong)) throw cause;
    throw new CorankError('CORRUPT_INDEX', `${path} is damaged: ${cause.message}`, { cause });
  } finally {
    await file.close();
  }
}

/** What is wrong with the bytes. */
class Wrong extends Error {}

type Shape = Omit<GraphShape, 'efConstruction'>;

interface Header {
  top: number;
  start: number;
}

const linksBytes = (links: number): number => 4 + 4 * links;

function readHeader(bytes: Buffer, { dimension, rows, m }: Shape): Header {
  const vectorAt = linksBytes(2 * m);
  const labelAt = vectorAt + 4 * dimension;
  const sizes = [0, rows, rows, labelAt + 8, labelAt, vectorAt];
  const links = [m, 2 * m, m];
  const fits =
    sizes.every((size, i) => bytes.readBigUInt64LE(i * 8) === BigInt(size)) &&
    links.every((count, i) => bytes.readBigUInt64LE(56 + i * 8) === BigInt(count));
  if (!fits) throw new Wrong(`it is no graph of ${rows} vectors of ${dimension} numbers with m ${m}`);
  const top = bytes.readInt32LE(48);
  const start = bytes.readUInt32LE(52);
  const factor = bytes.readDoubleLE(80);
  if (top < 0 || top > MAX_LEVEL || start >= rows || !(factor > 0 && factor < Number.POSITIVE_INFINITY))
    throw new Wrong('its header is garbled');
  return { top, start };
}

async function readElements(feed: Feed, { dimension, rows, m }: Shape): Promise<void> {
  const vectorAt = linksBytes(2 * m);
  const labelAt = vectorAt + 4 * dimension;
  for (let element = 0; element < rows; element++) {
    const bytes = feed.ready(labelAt + 8) ?? (await feed.take(labelAt + 8));
    eachLink(bytes, 0, 2 * m, rows, () => {});
    for (let at = vectorAt; at < labelAt; at += 4) {
      if ((bytes.readUInt32LE(at) & 0x7f800000) === 0x7f800000)
        throw new Wrong(`vector ${element} holds a number that is not finite`);
    }
    if (bytes.readUInt32LE(labelAt) !== element || bytes.readUInt32LE(labelAt + 4) !== 0)
      throw new Wrong(`element ${element} has another label`);
  }
}

/** A link on a level leads to an element that reaches that level; the start reaches the highest. */
async function readLinks(feed: Feed, { rows, m }: Shape, { top, start }: Header): Promise<void> {
  const levels = new Uint8Array(rows);
  const needed = new Uint8Array(rows);
  for (let element = 0; element < rows; element++) {
    const size = (feed.ready(4) ?? (await feed.take(4))).readUInt32LE(0);
    const count = size / linksBytes(m);
    if (!Number.isInteger(count) || count > top) throw new Wrong(`element ${element} has garbled levels`);
    levels[element] = count;
    for (let level = 1; level <= count; level++) {
      const bytes = feed.ready(linksBytes(m)) ?? (await feed.take(linksBytes(m)));
      eachLink(bytes, 0, m, rows, (to) => {
        needed[to] = Math.max(needed[to]!, level);
      });
    }
  }
  if (levels[start] !== top || needed.some((level, element) => level > levels[element]!))
    throw new Wrong('a link leads to a level that is not there');
}

/** The number of links has 32 bits here: its upper half would mark the element as deleted, which none is. */
function eachLink(bytes: Buffer, at: number, most: number, rows: number, use: (to: number) => void): void {
  const count = bytes.readUInt32LE(at);
  if (count > most) throw new Wrong(`${count} links where at most ${most} fit`);
  for (let i = 1; i <= count; i++) {
    const to = bytes.readUInt32LE(at + 4 * i);
    if (to >= rows) throw new Wrong(`a link leads to element ${to} of ${rows}`);
    use(to);
  }
}

/** A file from its beginning, record by record, with checksums of all that was read. */
class Feed {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.alloc(PIECE);
  #crc = 0;
  #size = 0;
  #from = 0;
  #to = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** The next `bytes` bytes, valid until the next call; undefined when they have to be waited for. */
  ready(bytes: number): Buffer | undefined {
    if (this.#to - this.#from < bytes) return undefined;
    this.#from += bytes;
    return this.#buffer.subarray(this.#from - bytes, this.#from);
  }

  async take(bytes: number): Promise<Buffer> {
    while (this.#to - this.#from < bytes) if (!(await this.#more())) throw new Wrong('it is too short');
    return this.ready(bytes)!;
  }

  async finish(): Promise<WrittenFile> {
    if (this.#to > this.#from || (await this.#more())) throw new Wrong('it is too long');
    return { size: this.#size, crc32: this.#crc, sha256: this.#hash.digest('hex') };
  }

  /** False at the end of the file. */
  async #more(): Promise<boolean> {
    this.#buffer.copyWithin(0, this.#from, this.#to);
    this.#to -= this.#from;
    this.#from = 0;
    const { bytesRead } = await this.#file.read(this.#buffer, this.#to, PIECE - this.#to, null);
    const read = this.#buffer.subarray(this.#to, this.#to + bytesRead);
    this.#hash.update(read);
    this.#crc = crc32(read, this.#crc);
    this.#to += bytesRead;
    this.#size += bytesRead;
    return bytesRead > 0;
  }
}
