import { posix } from 'node:path';
import { go } from './go.js';
import { java } from './java.js';
import { javascript } from './javascript.js';
import type { Language } from './language.js';
import {
  goModule,
  javaModule,
  type ModuleResolver,
  pythonModule,
  rustModule,
  scriptModule,
} from './modules.js';
import { bash, cpp, csharp, php, powershell, ruby } from './others.js';
import { python } from './python.js';
import { rust } from './rust.js';

export interface KnownLanguage {
  language: Language;
  resolve?: ModuleResolver;
  /** Files of one group see each other's names: those of a package. By the file's path and the package it names. */
  group?: (path: string, name: string) => string;
}

const script = (grammar: 'javascript' | 'typescript' | 'tsx'): KnownLanguage => ({
  language: javascript(grammar),
  resolve: scriptModule,
});

const [JS, TS, TSX] = [script('javascript'), script('typescript'), script('tsx')];
const CPP: KnownLanguage = { language: cpp };

const BY_ENDING: Readonly<Record<string, KnownLanguage>> = {
  ...{ js: JS, mjs: JS, cjs: JS, jsx: JS, ts: TS, mts: TS, cts: TS, tsx: TSX },
  py: { language: python, resolve: pythonModule },
  go: { language: go, resolve: goModule, group: (path, name) => `${posix.dirname(path)} ${name}` },
  java: { language: java, resolve: javaModule, group: (_, name) => name },
  rs: { language: rust, resolve: rustModule },
  ...{ c: CPP, h: CPP, cc: CPP, cpp: CPP, cxx: CPP, hh: CPP, hpp: CPP },
  cs: { language: csharp },
  php: { language: php },
  rb: { language: ruby },
  ...{ sh: { language: bash }, bash: { language: bash } },
  ps1: { language: powershell },
};

/** The language of a file by its ending; undefined for what is indexed as text. */
export function languageOf(path: string): KnownLanguage | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}
