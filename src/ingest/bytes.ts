/** Bytes of an input: a file, a gzip file (by its ending) or `-` for standard input. */

import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CorankError } from '../errors.js';
import { refusal } from './refusal.js';

const CHUNK_BYTES = 256 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
};

/** Opens a file for reading; a missing, unreadable or folder path is refused by name. */
export async function openInput(path: string): Promise<FileHandle> {
  const handle = await open(path, 'r').catch((cause) => {
    throw unreadable(path, cause);
  });
  if ((await handle.stat()).isDirectory()) {
    await handle.close();
    throw refusal('cannot be read: it is a folder; name a file', { file: path });
  }
  return handle;
}

export async function* readBytes(
  path: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<Buffer> {
  const { signal } = options;
  signal?.throwIfAborted();
  const stream = path === '-' ? process.stdin : await fileStream(path);
  // Without a reason: a stream only carries Errors, a signal's reason may be anything.
  const abort = () => stream.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    let empty = true;
    for await (const chunk of stream) {
      empty = false;
      yield chunk as Buffer;
      signal?.throwIfAborted();
    }
    signal?.throwIfAborted();
    if (empty && isGzip(path)) await refuseEmptyFile(path);
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof CorankError ? cause : unreadable(path, cause);
  } finally {
    signal?.removeEventListener('abort', abort);
    stream.destroy();
  }
}

async function fileStream(path: string): Promise<Readable> {
  const file = (await openInput(path)).createReadStream({ highWaterMark: CHUNK_BYTES });
  if (!isGzip(path)) return file;
  // pipeline hands a read error on to the gunzip stream, and closes the file when that is destroyed.
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(file, gunzip, () => {});
  return gunzip;
}

function isGzip(path: string): boolean {
  return /\.gz$/i.test(path);
}

/** zlib accepts a file cut to nothing as a stream without data; an empty gzip file still has a header. */
async function refuseEmptyFile(path: string): Promise<void> {
  const handle = await openInput(path);
  const { size } = await handle.stat().finally(() => handle.close());
  if (size === 0) throw truncated(path, 'the file has no bytes');
}

function unreadable(path: string, cause: unknown): CorankError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  if (code.startsWith('Z_')) return truncated(path, message, cause);
  return refusal(`cannot be read: ${REASONS[code] ?? message}`, { file: path }, cause);
}

function truncated(path: string, reason: string, cause?: unknown): CorankError {
  const advice = 'truncated, damaged or not gzip at all; make the file again, or drop the ending .gz';
  return refusal(`cannot be unpacked (${reason}): ${advice}`, { file: path }, cause);
}
