import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type RecordBatch, RecordBatchFileWriter } from 'apache-arrow';

const ALIGNMENT = 64;

export interface WrittenFile {
  size: number;
  crc32: number;
  sha256: string;
}

/**
 * Arrow's own file writer aligns buffers to 8 bytes; the format recommends 64. This one moves the buffers of
 * a record batch apart and keeps the chunks it is given instead of copying them into a queue.
 */
class AlignedFileWriter extends RecordBatchFileWriter {
  readonly chunks: Uint8Array[] = [];

  protected override _write(chunk: ArrayBufferView): this {
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (bytes.byteLength > 0) this.chunks.push(bytes);
    this._position += bytes.byteLength;
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Arrow declares the message type with any
  protected override _writeMessage(message: any): this {
    return super._writeMessage(message, ALIGNMENT);
  }

  protected override _assembleRecordBatch(batch: RecordBatch) {
    const assembled = super._assembleRecordBatch(batch);
    let offset = 0;
    assembled.bufferRegions.forEach((region, i) => {
      region.offset = offset;
      region.length = assembled.buffers[i]!.byteLength;
      offset = padded(offset + region.length);
    });
    return { ...assembled, byteLength: offset };
  }

  protected override _writeBodyBuffers(buffers: ArrayBufferView[]): this {
    for (const buffer of buffers) {
      this._write(buffer);
      const gap = padded(buffer.byteLength) - buffer.byteLength;
      if (gap > 0) this._write(new Uint8Array(gap));
    }
    return this;
  }
}

const padded = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Writes one table as an uncompressed Arrow IPC file, synced, and returns its size and checksums. */
export async function writeTable(path: string, batch: RecordBatch): Promise<WrittenFile> {
  const writer = new AlignedFileWriter();
  writer.write(batch);
  writer.finish();
  const file = await open(path, 'wx');
  try {
    return await writeChunks(file, writer.chunks);
  } finally {
    await file.close();
  }
}

async function writeChunks(file: FileHandle, chunks: readonly Uint8Array[]): Promise<WrittenFile> {
  const hash = createHash('sha256');
  let crc = 0;
  let size = 0;
  for (const chunk of chunks) {
    crc = crc32(chunk, crc);
    hash.update(chunk);
    await writeAll(file, chunk);
    size += chunk.byteLength;
  }
  await file.sync();
  return { size, crc32: crc, sha256: hash.digest('hex') };
}

/** A write may be short (2 GiB is the limit of one call). */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  const piece = 64 << 20;
  for (let at = 0; at < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, at, Math.min(piece, bytes.byteLength - at));
    at += bytesWritten;
  }
}
