import asc from 'assemblyscript/asc';

// What a kernel can reach at best: the sum of the same bytes, four accumulators, nothing else.
const SOURCE = `
export function read(at: usize, bytes: u32): f32 {
  let a = f32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (let i: u32 = 0; i < bytes; i += 64) {
    a = f32x4.add(a, v128.load(at + i));
    b = f32x4.add(b, v128.load(at + i, 16));
    c = f32x4.add(c, v128.load(at + i, 32));
    d = f32x4.add(d, v128.load(at + i, 48));
  }
  const sum = f32x4.add(f32x4.add(a, b), f32x4.add(c, d));
  return f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3);
}`;

const OPTIONS =
  '--runtime stub --importMemory --sharedMemory --initialMemory 1 --maximumMemory 65536 --noAssert -O3 --enable simd,threads';

/** A function that reads `bytes` bytes (a multiple of 64) at an address and returns their sum as f32. */
export async function readLimit(memory: WebAssembly.Memory): Promise<(at: number, bytes: number) => number> {
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(['read.ts', '--outFile', 'read.wasm', ...OPTIONS.split(' ')], {
    readFile: (name: string) => (name === 'read.ts' ? SOURCE : null),
    writeFile: (_name: string, contents: string | Uint8Array) => {
      if (typeof contents !== 'string') wasm = contents;
    },
    listFiles: () => [],
  });
  if (error || wasm === undefined) throw error ?? new Error(stderr.toString());
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), { env: { memory } });
  return exports.read as (at: number, bytes: number) => number;
}
