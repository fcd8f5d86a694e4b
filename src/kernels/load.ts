import { readFileSync } from 'node:fs';
import { instantiateSync } from '@assemblyscript/loader';
import type { KernelExports } from './exports.js';

/** What a binding needs: the kernels, and the memory they were given, for its length. */
export interface Kernels {
  exports: KernelExports;
  memory: WebAssembly.Memory;
}

// The same file seen from dist/kernels and, in tests, from src/kernels.
const KERNELS = new URL('../../dist/kernels/kernels.wasm', import.meta.url);

/** Compiles the kernels once for a process; the module travels to threads in `workerData`. */
export function compileKernels(wasmUrl: URL = KERNELS): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(wasmUrl));
}

/** The kernels over one shared memory, in any thread. */
export function instantiateKernels(module: WebAssembly.Module, memory: WebAssembly.Memory): KernelExports {
  const { instance } = instantiateSync(module, { env: { memory } });
  // The raw exports: the loader's own wrap each function in one that collects its arguments.
  return instance.exports as unknown as KernelExports;
}

// TypeScript has these only in its DOM library, which would bring a browser's globals with it.
declare global {
  namespace WebAssembly {
    interface Memory {
      readonly buffer: ArrayBufferLike;
      grow(delta: number): number;
    }
    var Memory: {
      prototype: Memory;
      new (descriptor: { initial: number; maximum?: number; shared?: boolean }): Memory;
    };
    interface Module {}
    var Module: { prototype: Module; new (bytes: Uint8Array): Module };
    interface Instance {
      readonly exports: Record<string, unknown>;
    }
    function validate(bytes: Uint8Array): boolean;
    var Instance: { prototype: Instance; new (module: Module, imports?: object): Instance };
  }
}
