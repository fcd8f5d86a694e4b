import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CorankError, quote } from '../errors.js';
import type { ByteSink } from './byte-sink.js';

/**
 * A file that appears whole or not at all: written beside its name, synced, and renamed over it at close.
 * Pipes and devices cannot be renamed over, so they are written in place.
 */
export async function openFileSink(path: string): Promise<ByteSink> {
  try {
    const old = await existing(path);
    if (old?.isDirectory() || path === '' || path.endsWith('/')) throw new Error('it does not name a file');
    if (old !== undefined && !old.isFile()) return new InPlaceSink(path, await open(path, 'w'));
    // Through a symbolic link the file is replaced, not the link; its permissions are not widened.
    const target = old === undefined ? path : await realpath(path);
    const temporary = temporaryName(target);
    return new RenamedSink(path, target, temporary, await open(temporary, 'wx', old?.mode ?? 0o666));
  } catch (cause) {
    throw new CorankError('INVALID_INPUT', `cannot write ${quote(path)}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

async function existing(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function temporaryName(target: string): string {
  return join(dirname(target), `.${basename(target)}.tmp-${process.pid}-${randomBytes(6).toString('hex')}`);
}

class InPlaceSink implements ByteSink {
  readonly ended = false;
  protected readonly path: string;
  protected readonly handle: FileHandle;
  protected failure: Error | undefined;

  constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.handle = handle;
  }

  /** After a failure part of a chunk may be in the file, so every later call fails as well. */
  async write(chunk: Uint8Array | string): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    await this.#named(() => this.handle.appendFile(chunk));
  }

  async close(): Promise<void> {
    try {
      if (this.failure !== undefined) throw this.failure;
      await this.#named(() => this.publish());
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async abort(): Promise<void> {
    await this.handle.close().catch(() => {});
  }

  protected async publish(): Promise<void> {
    await this.handle.close();
  }

  async #named(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (cause) {
      this.failure = new Error(`cannot write ${quote(this.path)}: ${(cause as Error).message}`, { cause });
      throw this.failure;
    }
  }
}

class RenamedSink extends InPlaceSink {
  readonly #target: string;
  readonly #temporary: string;

  constructor(path: string, target: string, temporary: string, handle: FileHandle) {
    super(path, handle);
    this.#target = target;
    this.#temporary = temporary;
  }

  override async abort(): Promise<void> {
    await super.abort();
    await rm(this.#temporary, { force: true }).catch(() => {});
  }

  protected override async publish(): Promise<void> {
    await this.handle.sync();
    await this.handle.close();
    await rename(this.#temporary, this.#target);
    await syncFolder(dirname(this.#target));
  }
}

/** Makes the rename itself last. Not every system can open a folder; the file is whole either way. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  } catch {
    // Nothing to undo: the run is in its place.
  }
}
