import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { KernelExports } from '../../src/kernels/exports.js';
import { compileKernels, instantiateKernels } from '../../src/kernels/load.js';

const NAMES: (keyof KernelExports)[] = [
  'addOccurrences16',
  'addOccurrences32',
  'bm25Accumulate16',
  'bm25Accumulate32',
  'bm25AccumulateCounts',
  'countVisible',
  'dotExact',
  'dotScan',
  'dotScanInt8',
  'outWeights',
  'overNorms',
  'pagerankContributions',
  'pagerankContributions8',
  'pagerankStep',
  'pagerankStep8',
  'phraseMatch',
  'rrfAdd',
  'selectAbove',
  'selectReach',
  'takeLane8',
  'topK',
  'topK32',
];

const sharedMemory = () => new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: true });

it('exports exactly the functions of the contract', () => {
  const kernels = instantiateKernels(compileKernels(), sharedMemory());
  expect(Object.keys(kernels).sort()).toEqual(NAMES);
});

it('writes nothing into the memory it is given', () => {
  const memory = sharedMemory();
  new Uint8Array(memory.buffer).fill(7);
  instantiateKernels(compileKernels(), memory);
  expect(new Uint8Array(memory.buffer).every((byte) => byte === 7)).toBe(true);
});

it('names the file when the kernels were not built', () => {
  expect(() => compileKernels(new URL('file:///nowhere/kernels.wasm'))).toThrow('/nowhere/kernels.wasm');
});

it('takes over module and memory in a worker thread', async () => {
  const memory = sharedMemory();
  const load = new URL('../../dist/kernels/load.js', import.meta.url).href;
  const body = `
    import { workerData } from 'node:worker_threads';
    const { instantiateKernels } = await import(${JSON.stringify(load)});
    const kernels = instantiateKernels(workerData.module, workerData.memory);
    kernels.rrfAdd(64, 1, 60, 1, 128);
  `;
  new Uint32Array(memory.buffer)[16] = 2;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(body)}`), {
    workerData: { module: compileKernels(), memory },
  });
  await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  expect(new Float64Array(memory.buffer)[16 + 2]).toBe(1 / (60 + 1));
});
