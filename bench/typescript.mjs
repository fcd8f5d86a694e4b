// Module hooks so that Node 20 runs the TypeScript of bench/, test/reference/ and src/ as it is: './x.js' is
// looked for as './x.ts' too, and types are stripped. No output files, so nothing can be stale.
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

export async function resolve(specifier, context, next) {
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    return next(specifier.replace(/js$/, 'ts'), context).catch(() => next(specifier, context));
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2022,
    inlineSourceMap: true,
  };
  const { outputText } = ts.transpileModule(await readFile(new URL(url), 'utf8'), { compilerOptions });
  return { format: 'module', source: outputText, shortCircuit: true };
}
