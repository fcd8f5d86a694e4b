// Build check: `node assembly/check.mjs FILE` exits 1 with a sentence when the module is more than functions
// over an imported shared memory. Every thread instantiates it over the same memory, so a data segment would
// be written again under running kernels, and a global would be a state that threads do not share.
import { readFileSync } from 'node:fs';

const FORBIDDEN = new Map([
  [4, 'a table'],
  [5, 'a memory of its own'],
  [6, 'a global'],
  [8, 'a start function'],
  [9, 'an element segment'],
  [11, 'a data segment'],
  [12, 'a data count'],
]);
const IMPORT_SECTION = 2;
const KINDS = ['function', 'table', 'memory', 'global', 'tag'];

/** The first thing wrong with the module's bytes, or undefined. */
function firstFault(bytes) {
  let at = 0;
  const u8 = () => {
    if (at >= bytes.length) throw new RangeError('the module is cut off');
    return bytes[at++];
  };
  const u32 = () => {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = u8();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  };
  const name = () => {
    const length = u32();
    at += length;
    return Buffer.from(bytes.subarray(at - length, at)).toString('utf8');
  };

  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  for (const byte of header) if (u8() !== byte) return 'it is not a WebAssembly module of version 1';
  let hasMemory = false;
  while (at < bytes.length) {
    const id = u8();
    const size = u32();
    const end = at + size;
    if (end > bytes.length) throw new RangeError('the module is cut off');
    if (FORBIDDEN.has(id)) return `it has ${FORBIDDEN.get(id)}`;
    if (id === IMPORT_SECTION) {
      for (let left = u32(); left > 0; left--) {
        const from = `${name()}.${name()}`;
        const kind = KINDS[u8()];
        if (from !== 'env.memory' || kind !== 'memory') return `it imports ${from} (${kind})`;
        // Limits: bit 0 of the flags says that there is a maximum, bit 1 that the memory is shared.
        const flags = u8();
        u32();
        if (flags & 1) u32();
        if (!(flags & 2)) return 'its memory is not shared';
        hasMemory = true;
      }
    }
    at = end;
  }
  return hasMemory ? undefined : 'it does not import env.memory';
}

const file = process.argv[2];
let fault;
try {
  fault = file === undefined ? 'no file was named' : firstFault(readFileSync(file));
} catch (error) {
  fault = error.message;
}
if (fault !== undefined) {
  console.error(`check: ${file ?? 'usage: node assembly/check.mjs FILE'}: ${fault}`);
  process.exitCode = 1;
}
