import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAccess } from '../../src/ingest/access.js';
import { collect, count, inputFolder, refusalOf, SHARED } from './files.js';

const files = inputFolder();
const rows = async (name: string, content: string) =>
  (await collect(readAccess(files.write(name, content)))).map(({ row }) => row);

describe('readAccess', () => {
  it('reads tags from a list or from one string, and lets the list be empty', async () => {
    const a = { id: 'a', org: 'acme', source: 'wiki', acl: ['x', 'y'] };
    const b = { id: 'b', org: 'acme', source: 'wiki', acl: [] };
    expect(await rows('a.csv', 'source,id,org,acl\nwiki,a,acme,x y\nwiki,b,acme,\n')).toEqual([a, b]);
    const json =
      '{"id":"a","org":"acme","source":"wiki","acl":"x y"}\n{"id":"b","org":"acme","source":"wiki","acl":[]}';
    expect(await rows('a.jsonl.gz', json)).toEqual([a, b]);
  });

  it('tells where each row stands', async () => {
    const path = files.write('p.csv', 'id,org,source,acl\n\na,o,s,x\n');
    expect((await collect(readAccess(path)))[0]!.place).toEqual({ file: path, line: 3, id: 'a' });
  });

  it.each([
    [
      'a missing column',
      'a.csv',
      'id,org,acl\na,o,x\n',
      /a\.csv:1: has no source; every row needs id, org, source, acl/,
    ],
    ['an unknown column', 'a.csv', 'id,org,source,acl,owner\n', /a\.csv:1: unknown key "owner"/],
    ['an empty org', 'a.csv', 'id,org,source,acl\na,,s,x\n', /a\.csv:2: "a": org is empty/],
    [
      'an empty source',
      'a.jsonl',
      '{"id":"a","org":"o","source":"","acl":[]}',
      /a\.jsonl:1: "a": source is empty/,
    ],
    [
      'a missing acl',
      'a.jsonl',
      '{"id":"a","org":"o","source":"s"}',
      /"a": has no acl; an empty list is readable by nobody/,
    ],
    ['a null acl', 'a.jsonl', '{"id":"a","org":"o","source":"s","acl":null}', /"a": has no acl/],
    ['a missing id', 'a.jsonl', '{"org":"o","source":"s","acl":[]}', /a\.jsonl:1: has no id/],
    [
      'a number as a tag',
      'a.jsonl',
      '{"id":"a","org":"o","source":"s","acl":[1]}',
      /a tag of acl must be a string/,
    ],
    [
      'an unknown key',
      'a.jsonl',
      '{"id":"a","org":"o","source":"s","acl":[],"alc":null}',
      /unknown key "alc"/,
    ],
  ])('refuses %s', async (_, name, content, says) => {
    await refusalOf(() => rows(name, content), [says]);
  });

  it.each([
    ['cacm', 3204],
    ['scifact', 5183],
    ['cranfield', 1400],
  ])('reads a row for every document of %s', async (name, documents) => {
    expect(await count(readAccess(join(SHARED, 'reference/scoped', name, 'acl.jsonl')))).toBe(documents);
  });
});
