import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../bin/embedded-postgres/start.js';
import { migrate } from '../../migrations/migrate.js';
import { getAppRole } from '../../shared/platform/postgres/session.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A PostgreSQL and optionally a Redis, on loopback and in a temporary folder. */
export interface BenchStores {
  databaseUrl: string;
  superuserUrl: string;
  redisUrl: string | undefined;
  /** The processes of the stores, by name. */
  pids: Record<string, number>;
  stop: () => Promise<void>;
}

export async function startStores(options: { redis: boolean }): Promise<BenchStores> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tow-bench-'));
  // If root runs the bench, PostgreSQL runs as another user. Without access to this folder, that
  // user's server would keep its data in /var/lib.
  chmodSync(dataDir, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir, logger: quiet });
  const { databaseUrl, superuserUrl } = postgres;
  await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });
  const redis = options.redis ? await startRedis(dataDir) : undefined;
  return {
    databaseUrl,
    superuserUrl,
    redisUrl: redis?.url,
    pids: { PostgreSQL: postgres.pid() as number, ...(redis && { Redis: redis.child.pid as number }) },
    stop: async () => {
      redis?.child.kill('SIGKILL');
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Starts Redis with an append-only file that is synced every second, as in production. */
async function startRedis(dir: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await findFreePort();
  const child = spawn(
    'redis-server',
    ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes', '--dir', dir],
    { stdio: 'ignore' },
  );
  await waitFor(
    () =>
      spawnSync('redis-cli', ['-p', `${port}`, 'ping'])
        .stdout?.toString()
        .includes('PONG') ?? false,
  );
  return { url: `redis://127.0.0.1:${port}`, child };
}

export async function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

export async function waitFor(isDone: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`not ready within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
