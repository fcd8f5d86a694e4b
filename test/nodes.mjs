// `npm run test:nodes`: the whole suite, golden hashes included, on the other versions of Node that corank
// supports. They come from the npm package `node`. Arguments go to vitest.
import { spawnSync } from 'node:child_process';

const VERSIONS = ['22', '24'];

for (const version of VERSIONS) {
  console.log(`\n== Node ${version}\n`);
  const suite = ['node', 'node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
  const { status, error } = spawnSync('npm', ['exec', '--yes', `--package=node@${version}`, '--', ...suite], {
    stdio: 'inherit',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 130);
}
