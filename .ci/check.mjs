// Runs the checks of `npm run check` at the same time, and prints the output of each when it ends.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The longest checks come first. */
const CHECKS = [
  'tsc',
  // Without the types of Mocha, so that no code of the product uses a global of the tests.
  'tsc -p tsconfig.product.json',
  'depcruise api workers mcp shared migrations bin test bench docs dashboard --config .dependency-cruiser.cjs',
  'biome ci --error-on-warnings .',
  'tsc -p dashboard && tsc -p dashboard/driver-page',
  'npm run --silent check:openapi',
  'npm run --silent generate -- --check',
  'node .ci/check-commits.mjs',
  'node .ci/check-packages.mjs',
];

/** Runs a check. Resolves with true if it succeeds. */
function run(check) {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', check], { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (data) => output.push(data));
    child.stderr.on('data', (data) => output.push(data));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      if (code !== 0) console.error(`FAILED: ${check}`);
      resolve(code === 0);
    });
  });
}

async function runAll() {
  const left = [...CHECKS];
  const results = [];
  const work = async () => {
    for (let check = left.shift(); check !== undefined; check = left.shift()) results.push(await run(check));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results.every(Boolean);
}

process.exitCode = (await runAll()) ? 0 : 1;
