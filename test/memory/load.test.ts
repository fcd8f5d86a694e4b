import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Engine, type Node } from '../../dist/index.js';
import { type Built, built, openedAt, refusal, temporaryFolder } from '../index/small-index.js';

const NODES: Node[] = Array.from({ length: 40 }, (_, i) => ({
  id: `n${i}`,
  title: `title ${i % 7}`,
  text: `the word number ${i} of ${'many '.repeat(i % 5)}`,
  org: 'acme',
  source: 'wiki',
  acl: i % 2 === 0 ? ['everyone'] : ['role:odd', 'everyone'],
  embedding: [i, 1, 2],
  meta: { year: 1900 + i },
}));

const source = {
  nodes: NODES,
  edges: NODES.slice(1).map(({ id }, i) => ({ from: id, to: `n${i}`, weight: 1 + i })),
};

const original = built(source, {
  embeddingModel: 'unit',
  vectors: 'int8',
  fields: [
    { name: 'year', type: 'int' },
    { name: 'lang', type: 'string' },
  ],
});

/** A copy of the index that the test may damage, and where its generation lies. */
async function copy(): Promise<{ path: string; folder: string; index: Built }> {
  const index = await original;
  const path = join(temporaryFolder(), 'index');
  cpSync(index.path, path, { recursive: true });
  return { path, folder: join(path, index.generation), index };
}

const open = (path: string) => openedAt(path);

type EditedManifest = Record<string, Record<string, unknown>> & { tables: Record<string, object> };

/** Changes the manifest in place. */
function editManifest(folder: string, change: (manifest: EditedManifest) => unknown): void {
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify(change(manifest) ?? manifest));
}

const TABLES = [
  'access',
  'classes',
  'codes',
  'edges',
  'embeddings',
  'filters',
  'in',
  'kinds',
  'labels',
  'lengths',
  'nodes',
  'out',
  'postings',
  'quantized',
];

it('has a table of every kind in this test', async () => {
  expect(Object.keys((await original).manifest.tables).sort()).toEqual(TABLES);
});

describe.each(TABLES)('a damaged %s.arrow', (table) => {
  const file = `${table}.arrow`;

  it('is refused when it is missing', async () => {
    const { path, folder } = await copy();
    rmSync(join(folder, file));
    await refusal(open(path), 'CORRUPT_INDEX', file);
  });

  it('is refused when it is truncated', async () => {
    const { path, folder, index } = await copy();
    const size = Object.values(index.manifest.tables).find((entry) => entry.file === file)!.size;
    truncateSync(join(folder, file), size - 1);
    await refusal(open(path), 'CORRUPT_INDEX', file, String(size));
  });

  it('is refused when bytes follow it', async () => {
    const { path, folder } = await copy();
    writeFileSync(join(folder, file), 'x', { flag: 'a' });
    await refusal(open(path), 'CORRUPT_INDEX', file);
  });

  it('is refused for one flipped bit, wherever it is', async () => {
    const { path, folder } = await copy();
    const bytes = readFileSync(join(folder, file));
    for (const at of [0, 9, bytes.length >> 1, bytes.length - 1]) {
      bytes[at]! ^= 1;
      writeFileSync(join(folder, file), bytes);
      bytes[at]! ^= 1;
      await refusal(open(path), 'CORRUPT_INDEX', file, 'checksum');
    }
  });

  it('is refused when it is another file under a right checksum', async () => {
    const { path, folder } = await copy();
    const bytes = Buffer.from('no table at all, and yet of the size and checksum that the manifest says');
    writeFileSync(join(folder, file), bytes);
    editManifest(folder, (manifest) => {
      Object.assign(manifest.tables[table]!, { size: bytes.length, crc32: crc32(bytes) });
    });
    await refusal(open(path), 'CORRUPT_INDEX', file);
  });
});

describe('a table of another index under a right checksum', () => {
  it.each(TABLES.filter((table) => !['kinds', 'labels', 'classes', 'codes'].includes(table)))(
    'is refused as %s',
    async (table) => {
      const { path, folder } = await copy();
      // The same kind of table for other nodes: fewer rows, other codes.
      const small = await built(
        { nodes: NODES.slice(0, 3), edges: source.edges.slice(0, 2) },
        {
          embeddingModel: 'unit',
          vectors: 'int8',
          fields: [
            { name: 'year', type: 'int' },
            { name: 'lang', type: 'string' },
          ],
        },
      );
      cpSync(join(small.path, small.generation, `${table}.arrow`), join(folder, `${table}.arrow`));
      editManifest(folder, (manifest) => {
        manifest.tables[table] = small.manifest.tables[table as never]!;
      });
      await refusal(open(path), 'CORRUPT_INDEX');
    },
  );
});

describe('a manifest', () => {
  it('of a newer version is refused with both versions', async () => {
    const { path, folder, index } = await copy();
    const newer = index.manifest.version + 1;
    editManifest(folder, (manifest) => ({ ...manifest, version: newer }));
    await refusal(open(path), 'UNSUPPORTED_VERSION', `version ${newer}`, `version ${index.manifest.version}`);
  });

  it('of an older version is refused with both versions', async () => {
    const { path, folder, index } = await copy();
    const older = index.manifest.version - 1;
    editManifest(folder, (manifest) => ({ ...manifest, version: older }));
    await refusal(open(path), 'UNSUPPORTED_VERSION', `version ${older}`, `version ${index.manifest.version}`);
  });

  it('of another analysis is refused as unsupported', async () => {
    const { path, folder } = await copy();
    editManifest(folder, (manifest) => {
      Object.assign(manifest.analyzer!, { fingerprint: 'english/0:0000' });
    });
    await refusal(open(path), 'UNSUPPORTED_VERSION', 'english/0:0000');
  });

  it.each([
    ['of another program', '{"format":"lucene","version":1}'],
    ['that is no JSON', '{"format":'],
    ['that is null', 'null'],
    ['that is a list', '[]'],
    ['without its parts', '{"format":"corank-index","version":2}'],
    ['that is empty', ''],
  ])('%s is refused as corrupt, by its path', async (_, text) => {
    const { path, folder } = await copy();
    writeFileSync(join(folder, 'manifest.json'), text);
    await refusal(open(path), 'CORRUPT_INDEX', join(folder, 'manifest.json'));
  });

  it('that is missing is refused as corrupt, by its path', async () => {
    const { path, folder } = await copy();
    rmSync(join(folder, 'manifest.json'));
    await refusal(open(path), 'CORRUPT_INDEX', join(folder, 'manifest.json'));
  });

  it.each(['../../../etc/passwd', '/etc/passwd', 'nodes.arrow/../../x.arrow'])(
    'that points at %s is refused',
    async (file) => {
      const { path, folder } = await copy();
      editManifest(folder, (manifest) => {
        Object.assign(manifest.tables.nodes!, { file });
      });
      await refusal(open(path), 'CORRUPT_INDEX');
    },
  );

  it.each([
    ['counts.nodes', 39],
    ['counts.nodes', 41],
    ['counts.nodes', 400],
    ['counts.vectors', 39],
    ['counts.vectors', 41],
    ['counts.vectors', 4000],
    ['embedding.dimension', 17],
    ['embedding.width', 32],
    ['limits.maxCodes', 1],
    ['limits.maxOccurrences', 1],
    ['limits.codeBytes', 4],
    ['limits.codeBytes', 3],
  ])('whose %s was changed to %i is refused, or the answers stay the same', async (key, value) => {
    const { path, folder, index } = await copy();
    const [group, name] = key.split('.') as [string, string];
    editManifest(folder, (manifest) => {
      const part = manifest[group]!;
      if (part[name] === value) throw new Error(`${key} is ${value} already`);
      part[name] = value;
    });
    const before = await answersOf(index.path);
    const after = await answersOf(path).catch((error) => error);
    if (after instanceof Error) expect(after).toMatchObject({ name: 'CorankError', code: 'CORRUPT_INDEX' });
    else expect(after).toEqual(before);
  });
});

it.each([1, 2, 4, 400])(
  'refuses a manifest of 3 nodes that was changed to %i, without edges or vectors to contradict it',
  async (nodes) => {
    const { path, generation } = await built({ nodes: ['a', 'b', 'c'].map((id) => ({ id, text: 'word' })) });
    editManifest(join(path, generation), (manifest) => {
      manifest.counts!.nodes = nodes;
    });
    await refusal(open(path), 'CORRUPT_INDEX');
  },
);

async function answersOf(path: string) {
  const { bm25, dense, pagerank } = await import('../../dist/index.js');
  const engine = await openedAt(path);
  const caller = { principal: { org: 'acme', grants: ['everyone'] }, sources: ['wiki'], k: 50 };
  const answers = [];
  for (const retriever of [bm25(), dense(), pagerank()]) {
    answers.push(await engine.search({ text: 'word title', embedding: [1, 2, 3], ...caller }, { retriever }));
  }
  return answers;
}

describe('a path', () => {
  it('that does not exist, and a folder that is no index, are told apart', async () => {
    const folder = temporaryFolder();
    await refusal(Engine.open(join(folder, 'nowhere')), 'INVALID_INPUT', 'does not exist');
    await refusal(Engine.open(folder), 'INVALID_INPUT', 'not a corank index');
  });

  it.each(['', 'gen-1', '../gen-000001', 'gen-000001/../gen-000001'])(
    'whose CURRENT says %j is refused as corrupt',
    async (name) => {
      const { path } = await copy();
      writeFileSync(join(path, 'CURRENT'), `${name}\n`);
      await refusal(open(path), 'CORRUPT_INDEX', 'CURRENT');
    },
  );

  it('whose CURRENT names a generation that is not there is refused as corrupt', async () => {
    const { path } = await copy();
    writeFileSync(join(path, 'CURRENT'), 'gen-000007\n');
    await refusal(open(path), 'CORRUPT_INDEX', 'gen-000007');
  });
});

it('leaves the folder of a sound index as it was', async () => {
  const { path, folder } = await copy();
  const before = readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('base64'));
  await answersOf(path);
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('base64'))).toEqual(
    before,
  );
});
