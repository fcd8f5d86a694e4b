import { CorankError } from '../errors.js';
import { DIRECTORY_VERSION, type Directory } from './directory.js';

const MAX_VIEW = 0xffffffff;

/** Typed views over the columns, the same in every thread that attaches. Nothing here is ever written. */
export class SharedIndex {
  readonly memory: WebAssembly.Memory;
  readonly directory: Directory;
  readonly nodes: number;

  private constructor(memory: WebAssembly.Memory, directory: Directory) {
    this.memory = memory;
    this.directory = directory;
    this.nodes = directory.nodes;
  }

  /** Attaches to a memory that load.ts has filled. */
  static from(memory: WebAssembly.Memory, directory: Directory): SharedIndex {
    if (directory.version !== DIRECTORY_VERSION) {
      throw new CorankError(
        'UNSUPPORTED_VERSION',
        `directory version ${directory.version}, this thread expects ${DIRECTORY_VERSION}`,
      );
    }
    if (!(memory.buffer instanceof SharedArrayBuffer) || memory.buffer.byteLength > MAX_VIEW) {
      throw new CorankError('CORRUPT_INDEX', 'the index must lie in one shared memory of less than 4 GiB');
    }
    return new SharedIndex(memory, directory);
  }

  u32(at: number, length: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, length);
  }

  i32(at: number, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, length);
  }

  u16(at: number, length: number): Uint16Array {
    return new Uint16Array(this.memory.buffer, at, length);
  }

  i16(at: number, length: number): Int16Array {
    return new Int16Array(this.memory.buffer, at, length);
  }

  i8(at: number, length: number): Int8Array {
    return new Int8Array(this.memory.buffer, at, length);
  }

  u8(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  f32(at: number, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, length);
  }

  f64(at: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, length);
  }
}
