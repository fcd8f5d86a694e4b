import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { type InputProvider, rerank } from '../../dist/index.js';
import { opened, temporaryFolder } from '../index/small-index.js';

interface Memory {
  tell(id: string, query: string, useful?: boolean, at?: number): Promise<void>;
  provider: InputProvider;
}

/** The example of docs/feedback.md, as it stands there. */
async function example(): Promise<(path: string) => Memory> {
  const text = await readFile(new URL('../../docs/feedback.md', import.meta.url), 'utf8');
  const [, code] = /```js\n([\s\S]*?)```/.exec(text)!;
  const dist = new URL('../../dist/index.js', import.meta.url).href;
  const file = join(temporaryFolder(), 'feedback-file.mjs');
  await writeFile(file, code!.replace("'corank'", `'${dist}'`));
  return (await import(pathToFileURL(file).href)).feedbackFile;
}

it('the file-backed provider of the docs lifts what was useful', async () => {
  const memory = (await example())(join(temporaryFolder(), 'feedback.jsonl'));
  const engine = await opened({ nodes: [{ id: 'a' }, { id: 'b' }] });
  const retriever = rerank({
    retriever: { name: 'both', retrieve: async () => ['a', 'b'].map((id) => ({ id, score: 1 })) },
    provider: memory.provider,
  });
  const first = async () => {
    const { candidates, skipped } = await engine.search(
      { text: 'router drops headers', principal: 'open' },
      { retriever, explain: true },
    );
    expect(skipped).toEqual([]);
    return candidates[0]!.id;
  };
  expect(await first()).toBe('a');
  await memory.tell('a', 'headers of the router', false);
  await memory.tell('b', 'router headers', true);
  expect(await first()).toBe('b');
});
