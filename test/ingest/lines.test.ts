import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLineBlocks, readLines } from '../../src/ingest/lines.js';
import { collect, inputFolder, refusalOf } from './files.js';

const files = inputFolder();

/** Line ends and byte order mark as the contract has them, on a whole string. */
function naiveLines(content: string): string[] {
  const lines = content.replace(/^\ufeff/, '').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => line.replace(/\r$/, ''));
}

const piece = fc.constantFrom('\n', '\r\n', '\r', 'a', 'é', '東', '😀', '\ufeff', ',', '"', ' ');
const content = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe('readLines', () => {
  it('equals splitting the whole text, with and without gzip', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.boolean(), async (text, gzip) => {
        const path = files.write(gzip ? 'p.txt.gz' : 'p.txt', text);
        const expected = naiveLines(text).map((line, i) => ({ text: line, line: i + 1 }));
        expect(await collect(readLines(path))).toEqual(expected);
      }),
    );
  });

  it('equals splitting when lines and characters cross the borders of chunks', async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `${i} é東😀${'x'.repeat(i % 37)}`).join('\r\n');
    const lines = (await collect(readLines(files.write('chunks.txt', text)))).map((line) => line.text);
    expect(lines).toEqual(text.split('\r\n'));
  });

  it('gives nothing for an empty file, plain or zipped', async () => {
    expect(await collect(readLines(files.write('empty.txt', '')))).toEqual([]);
    expect(await collect(readLines(files.write('empty.txt.gz', '')))).toEqual([]);
  });

  it('reads one line of 50 MB', async () => {
    const path = files.write('long.txt', `${'a'.repeat(50_000_000)}\nb`);
    const lines = await collect(readLines(path));
    expect(lines.map(({ text }) => text.length)).toEqual([50_000_000, 1]);
  });

  it('refuses a line above the limit, naming it, after the lines before it', async () => {
    const path = files.write('limit.txt', `ok\n${'a'.repeat(1_000_000)}\nok\n`);
    const seen: string[] = [];
    const read = async () => {
      for await (const { text } of readLines(path, { maxLineBytes: 300_000 })) seen.push(text);
    };
    await refusalOf(read, [/limit\.txt:2: .*longer than 300000 bytes/]);
    expect(seen).toEqual(['ok']);
  });

  it('reads all members of a gzip file made of several', async () => {
    const path = files.path('members.txt.gz');
    writeFileSync(path, Buffer.concat([gzipSync('a\nb'), gzipSync('c\n')]));
    expect((await collect(readLines(path))).map(({ text }) => text)).toEqual(['a', 'bc']);
  });

  it('refuses a gzip file that is truncated at any byte, or not gzip, naming it', async () => {
    const whole = gzipSync('some text\nmore text\n');
    for (const length of [0, 1, 5, 12, whole.length - 9, whole.length - 1]) {
      const path = files.path('cut.gz');
      writeFileSync(path, whole);
      truncateSync(path, length);
      await refusalOf(() => collect(readLines(path)), [/cut\.gz: cannot be unpacked/]);
    }
    writeFileSync(files.path('plain.gz'), 'plain text');
    await refusalOf(() => collect(readLines(files.path('plain.gz'))), [/plain\.gz: cannot be unpacked/]);
  });

  it('refuses a gzip file with a flipped byte', async () => {
    const bytes = gzipSync('a line of text\n'.repeat(100));
    bytes[bytes.length - 6]! ^= 0xff;
    writeFileSync(files.path('flip.gz'), bytes);
    await refusalOf(() => collect(readLines(files.path('flip.gz'))), [/flip\.gz: cannot be unpacked/]);
  });

  it.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a character cut short', [0xe6, 0x9d]],
  ])('refuses %s with the line, after the lines before it', async (_, bytes) => {
    const path = files.write(
      'bad.txt',
      Buffer.concat([Buffer.from('é\nok '), Buffer.from(bytes), Buffer.from('\nz')]),
    );
    const seen: string[] = [];
    const read = async () => {
      for await (const { text } of readLines(path)) seen.push(text);
    };
    const error = await refusalOf(read, [/bad\.txt:2: .*not valid UTF-8/]);
    expect(error.place).toEqual({ file: path, line: 2 });
    expect(seen).toEqual(['é']);
  });

  it('refuses a missing path and a folder, with the reason', async () => {
    await refusalOf(() => collect(readLines(files.path('none.txt'))), [/none\.txt: .*no such file/]);
    mkdirSync(files.path('folder'));
    await refusalOf(() => collect(readLines(files.path('folder'))), [/folder: .*it is a folder/]);
  });

  it('reads standard input for -', async () => {
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
    Object.defineProperty(process, 'stdin', {
      value: Readable.from([Buffer.from('a\nb'), Buffer.from('c')], { objectMode: true }),
      configurable: true,
    });
    try {
      expect((await collect(readLines('-'))).map(({ text }) => text)).toEqual(['a', 'bc']);
    } finally {
      Object.defineProperty(process, 'stdin', stdin);
    }
  });

  it("rejects with the signal's reason when cancelled before and between lines", async () => {
    const path = files.write('cancel.txt', 'x\n'.repeat(500_000));
    const reason = { why: 'enough' };
    await expect(collect(readLines(path, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    const controller = new AbortController();
    const read = async () => {
      for await (const { line } of readLines(path, { signal: controller.signal })) {
        if (line === 3) controller.abort(reason);
      }
    };
    await expect(read()).rejects.toBe(reason);
  });

  it("rejects with the signal's reason when cancelled while waiting for bytes, and closes the stream", async () => {
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
    const silent = new Readable({ read() {} });
    Object.defineProperty(process, 'stdin', { value: silent, configurable: true });
    try {
      const controller = new AbortController();
      const reading = collect(readLines('-', { signal: controller.signal }));
      controller.abort('stop');
      await expect(reading).rejects.toBe('stop');
      expect(silent.destroyed).toBe(true);
    } finally {
      Object.defineProperty(process, 'stdin', stdin);
    }
  });
});

describe('readLineBlocks', () => {
  it('hands bad lines over and goes on, when asked to', async () => {
    const path = files.write(
      'some-bad.txt',
      Buffer.concat([Buffer.from('a\n'), Buffer.from([0xff, 0x0a]), Buffer.from('c')]),
    );
    const bad: number[] = [];
    const blocks = await collect(readLineBlocks(path, { onBadLine: (_, line) => bad.push(line) }));
    expect(blocks.flat()).toEqual([
      { text: 'a', line: 1 },
      { text: 'c', line: 3 },
    ]);
    expect(bad).toEqual([2]);
  });
});
