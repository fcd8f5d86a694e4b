import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEdges } from '../../src/ingest/edges.js';
import { collect, count, inputFolder, refusalOf, SHARED } from './files.js';

const files = inputFolder();
const edges = async (name: string, content: string) =>
  (await collect(readEdges(files.write(name, content)))).map(({ edge }) => edge);

describe('readEdges', () => {
  it('reads ends, kind, weight, provenance and confidence, and keeps further columns as text', async () => {
    const content =
      'src,dst,kind,weight,provenance,confidence,predicate\na,b,cites,2.5,hand,0.5,published by\nb,c,,,,,\n';
    expect(await edges('e.csv', content)).toEqual([
      {
        ...{ from: 'a', to: 'b', kind: 'cites', weight: 2.5, provenance: 'hand', confidence: 0.5 },
        fields: { predicate: 'published by' },
      },
      { from: 'b', to: 'c', fields: { predicate: '' } },
    ]);
  });

  it('reads from and to as well as src and dst, in any column order', async () => {
    expect(await edges('e.csv.gz', 'weight,to,from\n1e2,b,a\n')).toEqual([
      { from: 'a', to: 'b', weight: 100 },
    ]);
  });

  it('reads JSON lines, further keys as text', async () => {
    const content =
      '{"from":"a","to":"b","kind":"k","weight":2,"n":3,"l":["x"],"gone":null,"__proto__":"p"}\n';
    const [edge] = await edges('e.jsonl', content);
    expect(edge).toMatchObject({ from: 'a', to: 'b', kind: 'k', weight: 2 });
    expect(Object.entries(edge!.fields!)).toEqual([
      ['n', '3'],
      ['l', '["x"]'],
      ['__proto__', 'p'],
    ]);
  });

  it('leaves the weight out when the cell is empty or the key null', async () => {
    expect(await edges('e.csv', 'src,dst,weight\na,b,\n')).toEqual([{ from: 'a', to: 'b' }]);
    expect(await edges('e.jsonl', '{"from":"a","to":"b","weight":null}')).toEqual([{ from: 'a', to: 'b' }]);
  });

  it.each(['0', '-1', 'NaN', 'Infinity', '1e999', '1e-999', '0x10', ' 1', 'one'])(
    'refuses the weight %s, naming both ends',
    async (weight) => {
      const read = () => edges('w.csv', `src,dst,weight\na,b,1\nx,y,${weight}\n`);
      await refusalOf(read, [/w\.csv:3: the edge "x" -> "y" has weight .*must be a finite number above 0/]);
    },
  );

  it.each([
    ['a weight in quotes', 'e.jsonl', '{"from":"a","to":"b","weight":"2"}', /weight "2"; it must be/],
    [
      'a confidence above 1',
      'e.csv',
      'src,dst,confidence\na,b,1.5\n',
      /confidence "1\.5"; it must be a number from 0 to 1/,
    ],
    [
      'no target column',
      'e.csv',
      'src,weight\na,1\n',
      /e\.csv:1: an edge needs to \(or dst\); there is src, weight/,
    ],
    ['two source columns', 'e.csv', 'src,from,dst\na,b,c\n', /e\.csv:1: has both from and src/],
    ['an empty end', 'e.csv', 'src,dst\na,\n', /e\.csv:2: the edge has no to/],
    ['a number as an end', 'e.jsonl', '{"from":1,"to":"b"}', /e\.jsonl:1: from 1 is a number/],
    ['a missing end', 'e.jsonl', '{"from":"a"}', /e\.jsonl:1: an edge needs to/],
    ['another ending', 'e.txt', '', /e\.txt: edges are read from \.csv\[\.gz\] or \.jsonl\[\.gz\]/],
  ])('refuses %s', async (_, name, content, says) => {
    await refusalOf(() => edges(name, content), [says]);
  });

  it('turns rows into ids when it is told how', async () => {
    const ids = ['a', 'b'];
    const resolve = (row: number) => ids[row];
    const csv = files.write('rows.csv', 'src,dst\n0,1\n');
    expect((await collect(readEdges(csv, { resolve }))).map(({ edge }) => edge)).toEqual([
      { from: 'a', to: 'b' },
    ]);
    const json = files.write('rows.jsonl', '{"from":1,"to":0}');
    expect((await collect(readEdges(json, { resolve }))).map(({ edge }) => edge)).toEqual([
      { from: 'b', to: 'a' },
    ]);
    const beyond = files.write('beyond.csv', 'src,dst\n0,2\n');
    await refusalOf(
      () => collect(readEdges(beyond, { resolve })),
      [/beyond\.csv:2: to is row 2, which the input/],
    );
    const word = files.write('word.csv', 'src,dst\n-1,0\n');
    await refusalOf(
      () => collect(readEdges(word, { resolve })),
      [/word\.csv:2: from must be a 0-based input row/],
    );
  });

  it.each([
    ['graphs/tiny/edges.csv', 10],
    ['graphs/hep-th/edges.csv.gz', 352_807],
    ['graphs/email-enron/edges.csv.gz', 2 * 183_831],
    ['graphs/slashdot0902/edges.csv.gz', 948_464],
    ['graphs/debian-bookworm/edges.csv.gz', 299_700],
    ['cacm/edges.csv', 5320 + 2720 + 6165],
    ['musique-100/edges.csv.gz', 16_715 + 25_512],
    ['musique-100/title_edges.csv.gz', 1639],
    ['2wiki-164/title_edges.csv.gz', 4126],
  ])('reads all edges of %s', async (name, expected) => {
    expect(await count(readEdges(join(SHARED, name)))).toBe(expected);
  });
});
