import { beforeAll, describe, expect, it } from 'vitest';
import {
  bm25,
  dense,
  type Engine,
  hybrid,
  type Query,
  type Retriever,
  type SearchOptions,
} from '../../dist/index.js';
import { opened, refusal } from '../index/small-index.js';

const listing = (name: string, ids: readonly string[]): Retriever => ({
  name,
  retrieve: async ({ limit }) => ids.slice(0, limit).map((id, i) => ({ id, score: 10 - i })),
});

const IDS = ['a', 'b', 'c', 'd', 'e'];
const who = { principal: { org: 'o', grants: ['g'] }, sources: ['s'] };
let engine: Engine;
beforeAll(async () => {
  const row = (id: string, year: number, acl = ['g']) => ({
    ...{ id, org: 'o', source: 's', acl, meta: { year } },
    text: `${id === 'e' ? 'rare' : 'word'} ${id}`,
  });
  const nodes = [...IDS.map((id, i) => row(id, 2000 + i)), row('hidden', 2000, ['other'])];
  engine = await opened({ nodes }, { fields: [{ name: 'year', type: 'int' }] });
});

const ask = async (whyNot: string, options: SearchOptions = {}, query: Partial<Query> = {}) => {
  const asked = { text: 'word', ...who, ...query };
  const { whyNot: told } = await engine.search(asked, { retriever: bm25(), ...options, whyNot });
  return told!;
};

describe('why not', () => {
  it('is told only when asked for, and changes nothing else', async () => {
    const query = { text: 'word', ...who };
    const plain = await engine.search(query);
    expect('whyNot' in plain).toBe(false);
    const { whyNot, ...rest } = await engine.search(query, { whyNot: 'a' });
    expect(rest).toEqual(plain);
    expect(whyNot!.id).toBe('a');
  });

  it('says where a candidate stands', async () => {
    expect(await ask('b')).toMatchObject({
      outcome: 'found',
      message: 'it is candidate 2',
      stages: [{ retriever: 'bm25', limit: 200, returned: 4, rank: 2, stages: [] }],
    });
  });

  it('says that k cut it off', async () => {
    expect(await ask('c', {}, { k: 1 })).toMatchObject({
      outcome: 'cut',
      message: 'bm25 has it at rank 3; k is 1',
    });
  });

  it('says that a retriever does not find it, or not within what it was asked for', async () => {
    expect(await ask('e')).toMatchObject({ outcome: 'lost', message: 'bm25 returned 4 nodes without it' });
    expect(await ask('d', { depth: 3 }, { k: 2 })).toMatchObject({
      outcome: 'lost',
      message: 'bm25 has it behind its first 3, if at all',
    });
  });

  it('names the channel that lost it, those that could not run, and those that had it', async () => {
    const retriever = hybrid([listing('one', ['a', 'b']), dense(), listing('two', IDS)], { k: 1 });
    expect(await ask('e', { retriever, depth: 4 }, { k: 4 })).toEqual({
      id: 'e',
      outcome: 'lost',
      message:
        'hybrid has it behind its first 4, if at all; one returned 2 nodes without it; ' +
        'dense could not run (no_visible_vectors); two has it behind its first 4, if at all',
      stages: [
        {
          retriever: 'hybrid',
          limit: 4,
          returned: 4,
          stages: [
            { retriever: 'one', limit: 4, returned: 2, stages: [] },
            {
              retriever: 'dense',
              limit: 4,
              returned: 0,
              unavailable: expect.objectContaining({ code: 'no_visible_vectors' }),
              stages: [],
            },
            { retriever: 'two', limit: 4, returned: 4, stages: [] },
          ],
        },
      ],
    });
    expect(await ask('e', { retriever }, { k: 1 })).toMatchObject({
      outcome: 'cut',
      stages: [{ rank: 5, stages: [{}, {}, { rank: 5, score: 6 }] }],
    });
  });

  it('tells a retriever that lost what its channels had', async () => {
    const retriever = hybrid([listing('one', ['a', 'b']), listing('two', ['b', 'c'])]);
    expect(await ask('c', { retriever, depth: 2 }, { k: 2 })).toMatchObject({
      message:
        'hybrid has it behind its first 2, if at all; one has it behind its first 2, if at all; ' +
        'two has it at rank 2',
    });
  });

  it('names the filters that it does not pass', async () => {
    const filters = [
      { field: 'year', op: '<', value: 2003 },
      { field: 'year', op: 'in', value: [2000, 2004] },
      { field: 'year', op: '!=', value: 2000 },
    ] as const;
    expect(await ask('d', {}, { filters })).toEqual({
      id: 'd',
      outcome: 'filtered',
      message: 'it does not pass year < 2003, year in [2000,2004]',
      stages: [],
    });
  });

  it('is one answer for hidden and unknown nodes', async () => {
    const filters = [{ field: 'year', op: '=', value: 2000 }] as const;
    for (const query of [{}, { filters }, { text: ' ' }]) {
      const [hidden, unknown] = [await ask('hidden', {}, query), await ask('nowhere', {}, query)];
      expect(hidden).toEqual({ ...unknown, id: 'hidden' });
      expect(hidden).toEqual({
        id: 'hidden',
        outcome: 'not_visible',
        message: 'this caller sees no node of this id in these sources',
        stages: [],
      });
    }
  });

  it('says that a blank query asks no retriever', async () => {
    expect(await ask('a', {}, { text: ' ' })).toMatchObject({ outcome: 'lost', stages: [] });
  });

  it('refuses what is no id, after the caller', async () => {
    await refusal(ask(''), 'INVALID_INPUT', 'whyNot');
    await refusal(ask(3 as never), 'INVALID_INPUT', 'whyNot');
    await refusal(ask('', {}, { principal: undefined }), 'NO_PRINCIPAL');
  });
});
