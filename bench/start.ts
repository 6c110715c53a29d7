import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProduct, stopChild } from './support/product.js';
import { median, print, printMachine } from './support/report.js';
import { findFreePort, hasRedis, startStores, waitFor } from './support/stores.js';

// Measures how long a built checkout takes from its start until it is ready for requests. Also
// measures how much memory each idle process uses.
const root = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = 3;
const IDLE_WAIT_MS = 15_000;

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

async function startAll(
  dataDir: string,
): Promise<{ seconds: number; pid: number; stop: () => Promise<void> }> {
  const port = await findFreePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['dist/bin/start.js'], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: `${port}`, LOG_LEVEL: 'warn' },
    stdio: 'ignore',
  });
  await waitFor(
    () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        (response) => response.ok,
        () => false,
      ),
    60_000,
  );
  return {
    seconds: (performance.now() - startedAt) / 1000,
    pid: child.pid as number,
    stop: () => stopChild(child),
  };
}

printMachine();
const first: number[] = [];
const later: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const dataDir = mkdtempSync(join(tmpdir(), 'tow-start-'));
  for (const times of [first, later]) {
    const running = await startAll(dataDir);
    times.push(running.seconds);
    if (round === ROUNDS - 1 && times === later) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_WAIT_MS));
      print(
        `memory of the idle all-in-one process: ${residentMb(running.pid).toFixed(0)} MB (bar: at most 150, goal 100)`,
      );
    }
    await running.stop();
  }
  rmSync(dataDir, { recursive: true, force: true });
}
print(
  `cold start on an empty DATA_DIR (initdb, migrations, demo): ${median(first).toFixed(1)} s (bar: at most 15, goal 6)`,
);
print(`cold start on an existing DATA_DIR: ${median(later).toFixed(1)} s`);
if (hasRedis()) {
  const stores = await startStores({ redis: true });
  const workers = ['writes', 'clock', 'webhooks', 'messages', 'exports'];
  const product = await startProduct(stores, 'scaled', { workers });
  await new Promise((resolve) => setTimeout(resolve, IDLE_WAIT_MS));
  const names = ['web', ...workers];
  for (const [index, pid] of product.pids.entries()) {
    print(
      `memory of the idle ${names[index]} process: ${residentMb(pid).toFixed(0)} MB (bar: at most 150, goal 100)`,
    );
  }
  await product.stop();
  await stores.stop();
}
