import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Patch } from './leaks.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface LeakyLibrary {
  /** Of its index.js. */
  url: string;
  remove(): Promise<void>;
}

/** A copy of dist/ with patches, inside the repository so that it finds its packages. */
export async function leakyLibrary(patches: readonly Patch[]): Promise<LeakyLibrary> {
  await mkdir(join(root, 'out'), { recursive: true });
  const folder = await mkdtemp(join(root, 'out', 'leaky-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // Compiled code finds the kernels by way of a folder of this name.
    await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
    for (const patch of patches) await apply(join(folder, 'dist', patch.file), patch);
  } catch (cause) {
    await remove();
    throw cause;
  }
  return { url: pathToFileURL(join(folder, 'dist', 'index.js')).href, remove };
}

async function apply(path: string, { file, from, to }: Patch): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(from);
  if (parts.length !== 2) {
    const times = parts.length - 1;
    throw new Error(`dist/${file} has ${times} times, not once, what the patch replaces; renew it: ${from}`);
  }
  await writeFile(path, parts.join(to));
}
