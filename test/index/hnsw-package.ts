/** Whether hnswlib-node can be loaded here, and copies of dist/ that find none, or another than the real one. */

import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { requireHnsw } from '../../dist/index/hnsw.js';
import type * as Corank from '../../dist/index.js';
import { temporaryFolder } from './small-index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGE = 'hnswlib-node';

/** Where CI builds the package nothing is skipped: its absence fails the tests. */
export const absent = process.env.CI !== 'true' && !installed();

function installed(): boolean {
  try {
    requireHnsw();
    return true;
  } catch {
    return false;
  }
}

/** A copy of dist/ beside all installed packages but hnswlib-node, in whose place this module stands, if any. */
export function copyOfDist(module?: string): { main: string; library: () => Promise<typeof Corank> } {
  const folder = temporaryFolder();
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  const packages = join(folder, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== PACKAGE) symlinkSync(join(root, 'node_modules', name), join(packages, name));
  }
  if (module !== undefined) {
    mkdirSync(join(packages, PACKAGE));
    writeFileSync(join(packages, PACKAGE, 'index.js'), module);
  }
  const url = pathToFileURL(join(folder, 'dist/index.js')).href;
  return {
    main: join(folder, 'dist/cli/main.js'),
    library: () => import(/* @vite-ignore */ url),
  };
}
