import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNodesCsv } from '../../src/ingest/csv.js';
import { readCsv } from '../../src/ingest/csv-table.js';
import { collect, inputFolder, refusalOf } from './files.js';

const files = inputFolder();

async function table(content: string, name = 't.csv') {
  const rows: { cells: readonly string[]; line: number }[] = [];
  let header: readonly string[] = [];
  for await (const block of readCsv(files.write(name, content))) {
    header = block.header;
    rows.push(...block.rows);
  }
  return { header, rows, cells: rows.map((row) => row.cells) };
}

/** RFC 4180, section 2, rules 5 to 7; a lone empty cell is quoted, since a blank line is no row. */
function encoded(cell: string, alone: boolean, always: boolean): string {
  const needed = /[",\r\n]/.test(cell) || (alone && cell === '');
  return needed || always ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const cell = fc.array(fc.constantFrom('a', '"', ',', '\n', '\r', '\r\n', ' ', 'é', '😀', ''), {
  maxLength: 8,
});
const rowsOf = (columns: number) =>
  fc.array(
    fc.array(
      cell.map((parts) => parts.join('')),
      { minLength: columns, maxLength: columns },
    ),
    { maxLength: 8 },
  );

describe('readCsv', () => {
  it('reads back what RFC 4180 writes, whatever the cells hold', async () => {
    const sheet = fc.integer({ min: 1, max: 4 }).chain((columns) =>
      fc.record({
        rows: rowsOf(columns),
        end: fc.constantFrom('\n', '\r\n'),
        last: fc.boolean(),
        always: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(sheet, async ({ rows, end, last, always }) => {
        const columns = rows[0]?.length ?? 2;
        const header = Array.from({ length: columns }, (_, i) => `c${i}`);
        const lines = [header, ...rows].map((cells) =>
          cells.map((c) => encoded(c, columns === 1, always)).join(','),
        );
        const read = await table(lines.join(end) + (last ? end : ''));
        expect(read.header).toEqual(header);
        expect(read.cells).toEqual(rows);
      }),
    );
  });

  it('numbers a row by the line on which it starts', async () => {
    const { rows } = await table('a,b\n1,"x\ny\n\nz"\n\n2,w\n');
    expect(rows).toEqual([
      { cells: ['1', 'x\ny\n\nz'], line: 2 },
      { cells: ['2', 'w'], line: 7 },
    ]);
  });

  it('reads rows that cross the borders of chunks', async () => {
    const long = 'x,"\n'.repeat(100_000);
    const { cells } = await table(`a,b\n1,"${long.replaceAll('"', '""')}"\n2,z\n`);
    expect(cells).toEqual([
      ['1', long],
      ['2', 'z'],
    ]);
  });

  it('reads a zipped file, and passes over a byte order mark', async () => {
    expect((await table('\ufeffa,b\r\n1,2\r\n', 't.csv.gz')).header).toEqual(['a', 'b']);
  });

  it.each([
    [
      'an unclosed quote at the line where it opened',
      'a,b\n1,2\n3,"x\ny\n',
      [/t\.csv:3: the quote opened here is never closed/],
    ],
    ['a short row', 'a,b\n1,2\n3\n', [/t\.csv:3: the row has 1 cells where the header names 2/]],
    ['a long row', 'a,b\n1,2,3\n', [/t\.csv:2: the row has 3 cells/]],
    ['a quote inside an unquoted cell', 'a,b\n1,5" disk\n', [/t\.csv:2: a quote stands inside/]],
    ['text after a closing quote', 'a,b\n1,"x"y\n', [/t\.csv:2: "y" follows a closing quote/]],
    ['a column named twice', 'a,b,a\n', [/t\.csv:1: column "a" is named twice/]],
    ['a column without a name', 'a,,b\n', [/t\.csv:1: column 2 has no name/]],
    ['a file without a header', '\n\n', [/t\.csv: is empty/]],
  ])('refuses %s', async (_, content, says) => {
    await refusalOf(() => table(content), says);
  });
});

describe('readNodesCsv', () => {
  it('maps columns to node fields, acl to a list, integers to numbers and meta columns to meta', async () => {
    const path = files.write(
      'nodes.csv',
      'id,title,ordinal,org,source,acl,meta.year,meta.__proto__\na,"T, t",3,acme,wiki,x  y,1999,p\nb,,,acme,wiki,,,\n',
    );
    expect(await collect(readNodesCsv(path))).toEqual([
      {
        node: {
          ...{ id: 'a', title: 'T, t', ordinal: 3, org: 'acme', source: 'wiki', acl: ['x', 'y'] },
          meta: new Map([
            ['year', '1999'],
            ['__proto__', 'p'],
          ]),
        },
        place: { file: path, line: 2, id: 'a' },
      },
      { node: { id: 'b', org: 'acme', source: 'wiki', acl: [] }, place: { file: path, line: 3, id: 'b' } },
    ]);
  });

  it.each([
    [
      'an unknown column',
      'id,titel\na,x\n',
      [/n\.csv:1: unknown column "titel"; the known ones are id, .*title, .*meta\.NAME/],
    ],
    ['a vector column', 'id,embedding\na,1\n', [/unknown column "embedding"/]],
    [
      'a fraction for an integer',
      'id,ordinal\na,1.5\n',
      [/n\.csv:2: .*ordinal must be a whole number, got "1\.5"/],
    ],
    ['a row without id', 'id,title\n,x\n', [/n\.csv:2: has no id/]],
  ])('refuses %s', async (_, content, says) => {
    await refusalOf(() => collect(readNodesCsv(files.write('n.csv', content))), says);
  });
});
