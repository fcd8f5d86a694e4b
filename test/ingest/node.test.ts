import { describe, expect, it } from 'vitest';
import { parseObject } from '../../src/ingest/json.js';
import { type Dropped, NODE_KEYS, toNode, validateNode } from '../../src/ingest/node.js';
import { refusalOf } from './files.js';

const place = { file: 'f.jsonl', line: 7 };
const node = (json: string, dropped?: Dropped) => toNode(parseObject(json, place), place, dropped);

describe('parseObject', () => {
  it.each([
    ['a list', '[1]', /expected a JSON object, got a list/],
    ['null', 'null', /got null/],
    ['a number', '3', /got a number/],
    ['text that is not JSON', '{"id": }', /not valid JSON/],
    [
      'an infinite number, however deep',
      `{"a":${'['.repeat(50_000)}1e999${']'.repeat(50_000)}}`,
      /too large/,
    ],
    ['a negative infinite number', '{"a":{"b":-1e999}}', /too large/],
  ])('refuses %s at its place', async (_, text, says) => {
    const error = await refusalOf(() => parseObject(text, place), [/^f\.jsonl:7: /, says]);
    expect(error.place).toEqual(place);
  });

  it('keeps a __proto__ key as data and pollutes nothing', () => {
    const fields = parseObject('{"__proto__": {"polluted": true}}', place);
    expect(Object.keys(fields)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('toNode', () => {
  it('takes every field of a node', () => {
    const record = {
      ...{
        id: 'a',
        kind: 'k',
        name: 'n',
        qualifiedName: 'q',
        container: 'c',
        path: 'p',
        title: 't',
        heading: 'h',
      },
      ...{ uri: 'u', documentId: 'd', ordinal: 0, startLine: 1, endLine: 2, signature: 's', text: '' },
      ...{ tokenEstimate: 9, org: 'o', source: 'w', acl: ['x'], embeddingModel: 'm' },
    };
    expect(
      toNode({ ...record, embedding: [0.5, -1], meta: { year: 1999, ok: true, who: 'me' } }, place),
    ).toEqual({
      ...record,
      embedding: Float32Array.of(0.5, -1),
      meta: new Map<string, unknown>([
        ['year', 1999],
        ['ok', true],
        ['who', 'me'],
      ]),
    });
  });

  it('takes a BEIR row', () => {
    expect(node('{"_id":"d1","title":"T","text":"x","metadata":{}}')).toEqual({
      id: 'd1',
      title: 'T',
      text: 'x',
    });
  });

  it('reads null as absent', () => {
    expect(node('{"id":"a","title":null,"acl":null,"meta":null,"embedding":null}')).toEqual({ id: 'a' });
    expect(node('{"id":"a","metadata":{"year":null}}')).toEqual({ id: 'a' });
  });

  it('keeps a meta entry called __proto__', () => {
    const { meta } = node('{"id":"a","meta":{"__proto__":"x"}}');
    expect([...(meta as Map<string, unknown>)]).toEqual([['__proto__', 'x']]);
  });

  it('leaves nested meta values out and counts them, with the first', () => {
    const dropped: Dropped = { nested: 0 };
    expect(node('{"id":"a","metadata":{"authors":["x"],"more":{"y":1},"year":1}}', dropped).meta).toEqual(
      new Map([['year', 1]]),
    );
    expect(dropped).toEqual({ nested: 2, first: { place: { ...place, id: 'a' }, name: 'authors' } });
  });

  it('takes id and _id when they agree', () => {
    expect(node('{"id":"a","_id":"a"}')).toEqual({ id: 'a' });
  });

  it.each([
    ['id and _id that differ', '{"id":"a","_id":"b"}', /id "a" and _id "b" differ/],
    ['no id', '{"text":"x"}', /has no id/],
    ['an empty id', '{"id":""}', /id is empty/],
    ['a number as id', '{"id":12}', /id 12 is a number; write it in quotes/],
    ['a number above 2^53 as id', '{"_id":9007199254740993}', /is a number; write it in quotes/],
    ['a list as id', '{"id":["a"]}', /id must be a string, got a list/],
    ['a lone surrogate in the id', '{"id":"\\ud800"}', /lone surrogate/],
    [
      'a lone surrogate in a text, naming the field',
      '{"id":"a","text":"\\udc00"}',
      /"a": text holds a lone surrogate/,
    ],
    ['a lone surrogate in meta', '{"id":"a","meta":{"m":"\\udc00"}}', /"a": meta "m" holds a lone surrogate/],
    [
      'an unknown key, listing the known',
      '{"id":"a","titel":"x"}',
      /"a": unknown key "titel".* id, _id, .*title/,
    ],
    ['a __proto__ key', '{"id":"a","__proto__":"x"}', /unknown key "__proto__"/],
    ['a text that is a number', '{"id":"a","title":3}', /"a": title must be a string, got a number/],
    ['a fraction', '{"id":"a","ordinal":1.5}', /ordinal must be an integer from 0 to 2147483647, got 1\.5/],
    ['a negative integer', '{"id":"a","startLine":-1}', /startLine must be an integer/],
    ['an integer in quotes', '{"id":"a","tokenEstimate":"3"}', /tokenEstimate must be an integer.*got "3"/],
    ['lines that run backward', '{"id":"a","startLine":5,"endLine":4}', /endLine 4 lies before startLine 5/],
    ['an empty org', '{"id":"a","org":""}', /"a": org is empty/],
    ['an empty tag', '{"id":"a","acl":["x",""]}', /a tag of acl is empty/],
    ['an acl that is an object', '{"id":"a","acl":{}}', /acl must be a list of tags, got an object/],
    [
      'a vector with a string',
      '{"id":"a","embedding":[1,"2"]}',
      /embedding\[1\] must be a finite 32-bit number, got "2"/,
    ],
    ['a vector that overflows float32', '{"id":"a","embedding":[1e39]}', /embedding\[0\] must be a finite/],
    ['an empty vector', '{"id":"a","embedding":[]}', /embedding is empty/],
    ['meta that is a list', '{"id":"a","meta":[]}', /meta must be an object/],
    ['meta and metadata', '{"id":"a","meta":{},"metadata":{}}', /both meta and metadata/],
  ])('refuses %s', async (_, json, says) => {
    await refusalOf(() => node(json), [/^f\.jsonl:7: /, says]);
  });

  it('lists its keys', () => {
    expect(NODE_KEYS).toEqual(
      expect.arrayContaining(['id', '_id', 'title', 'text', 'metadata', 'meta', 'embedding']),
    );
    expect(NODE_KEYS).toHaveLength(24);
  });
});

describe('validateNode', () => {
  it('takes objects of a program: undefined fields, a Map as meta, a typed vector as it is', () => {
    const embedding = Float32Array.of(1, 2);
    const checked = validateNode({ id: 'a', title: undefined, embedding, meta: new Map([['y', 1]]) }, {});
    expect(checked).toEqual({ id: 'a', embedding, meta: new Map([['y', 1]]) });
    expect(checked.embedding).toBe(embedding);
  });

  it.each([
    ['what is no object', 'x', /a node must be an object/],
    ['NaN in meta', { id: 'a', meta: { y: Number.NaN } }, /"a": meta "y" must be .* got NaN/],
    [
      'NaN in a vector',
      { id: 'a', embedding: Float32Array.of(Number.NaN) },
      /embedding\[0\] must be .* got NaN/,
    ],
    ['an unknown key', { id: 'a', body: 'x' }, /unknown key "body"/],
  ])('refuses %s', async (_, value, says) => {
    await refusalOf(() => validateNode(value, {}), [says]);
  });
});
