import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoFile } from '../../bin/demo/demo-file.js';
import { TestProcess } from '../support/load/processes.js';
import { eventually } from '../support/poll.js';
import { getFreePort } from '../support/stores.js';

/** Runs the built product with its demo accounts, in a folder of its own, until `use` is done. */
export async function useDemoProduct(use: (demo: DemoFile) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tow-demo-'));
  const port = await getFreePort();
  const env = { DATA_DIR: dataDir, PORT: `${port}`, HOME: process.env.HOME ?? '' };
  const product = new TestProcess({ command: ['node', 'dist/bin/start.js'], env });
  try {
    const file = join(dataDir, 'demo.json');
    await eventually('the demo to be ready', () => product.stdout.includes(file) && product.stdout, 120_000);
    await use(JSON.parse(await readFile(file, 'utf8')) as DemoFile);
  } finally {
    await product.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
