import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { deriveKey } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres/database.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../../shared/resources/api-keys/handlers.js';
import { createTenantPair, createTenantPairIds } from '../../shared/resources/tenants/create-tenant.js';
import { type BenchStores, findFreePort, hasRedis, waitFor } from './stores.js';

/** The SECRET_KEY of every product that a bench starts. */
export const SECRET_KEY = randomBytes(36).toString('base64');
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * `all`: one process, which needs only PostgreSQL. `scaled`: API and workers as separate processes,
 * with queues in Redis.
 */
export type DeploymentMode = 'all' | 'scaled';

/** Returns the mode that BENCH_WAY names, or by default every mode that this machine can run. */
export function listDeploymentModes(): DeploymentMode[] {
  const { BENCH_WAY } = process.env;
  if (BENCH_WAY) return [BENCH_WAY as DeploymentMode];
  return hasRedis() ? ['all', 'scaled'] : ['all'];
}

export interface Product {
  origin: string;
  /**
   * The address where a bench reads metrics. In `scaled` mode, it belongs to the last worker
   * process.
   */
  metricsOrigin: string;
  pids: number[];
  stop: () => Promise<void>;
}

export interface ProductOptions {
  /** In `scaled` mode, the built file of the process that serves requests. */
  entry?: string;
  /**
   * In `scaled` mode, one entry per worker process: the names of its queues, separated by spaces.
   */
  workers?: string[];
  /** More environment variables. They take precedence over those that `startProduct` sets. */
  settings?: Record<string, string>;
}

/** Starts the built product as real processes, as in production but with very high limits. */
export async function startProduct(
  stores: BenchStores,
  mode: DeploymentMode,
  { entry = 'dist/api/server.js', workers = ['writes'], settings = {} }: ProductOptions = {},
): Promise<Product> {
  const environment = {
    ...process.env,
    NODE_ENV: 'production',
    BASE_URL: 'https://bench.example.com',
    SECRET_KEY,
    DATABASE_URL: stores.databaseUrl,
    LOG_LEVEL: process.env.BENCH_LOG_LEVEL ?? 'warn',
    WEBHOOK_HOST_BYTES_PER_MINUTE: '2000000000',
    RATE_LIMIT_TIERS: '{"premium":{"minute":100000000,"hour":100000000}}',
    ...(mode === 'scaled' ? { REDIS_URL: stores.redisUrl } : {}),
    ...settings,
  };
  const workerArguments = workers.map((queues) => ['dist/workers/main.js', ...queues.split(' ')]);
  const commands = mode === 'all' ? [['dist/bin/start.js']] : [[entry], ...workerArguments];
  const ports = await Promise.all(commands.map(() => findFreePort()));
  const flags = process.env.BENCH_PROF ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROF}`] : [];
  const children = commands.map((args, index) =>
    spawn(process.execPath, [...flags, ...args], {
      cwd: root,
      env: { ...environment, PORT: `${ports[index]}` },
      stdio: 'inherit',
    }),
  );
  // Kill the processes when the bench ends, even if it fails.
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL');
  });
  const origins = commands.map((_, index) => `http://127.0.0.1:${ports[index]}`);
  for (const origin of origins) await waitFor(() => isReady(origin));
  return {
    origin: origins[0] as string,
    metricsOrigin: origins.at(-1) as string,
    pids: children.map((child) => child.pid as number),
    stop: async () => void (await Promise.all(children.map(stopChild))),
  };
}

/**
 * Starts the product so that it may deliver webhooks to this machine. In `scaled` mode, the last
 * process sends them.
 */
export function startWebhookProduct(stores: BenchStores, mode: DeploymentMode): Promise<Product> {
  const settings = { NODE_ENV: 'development', WEBHOOK_ALLOW_LOOPBACK: 'true', DEMO: 'false' };
  return startProduct(stores, mode, { workers: ['writes clock', 'webhooks'], settings });
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
}

export function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

export function openBenchDatabase(stores: BenchStores): Database {
  const logger = createLogger({ level: 'warn', name: 'bench', pretty: false });
  return openDatabase({ databaseUrl: stores.databaseUrl, poolSize: 4, applicationName: 'bench', logger });
}

/** Creates a premium tenant and a key with all permissions. */
export async function createTenant(db: Database): Promise<{ tenantId: string; key: string }> {
  const pair = createTenantPairIds();
  await db.transaction([pair.live, pair.sandbox], (tx) =>
    createTenantPair(tx, pair, { name: 'Bench Towing', tier: 'premium', taxRateBps: 825 }),
  );
  const { key, material } = mintKey('api', 'live', deriveKey(SECRET_KEY, 'credentials'));
  const row = {
    tenant_id: pair.live,
    id: newId(),
    kind: 'api' as const,
    name: 'bench',
    prefix: material.prefix,
    last_four: material.lastFour,
    key_hash: material.hash,
    permissions: ['read', 'write', 'approve', 'admin'],
    scopes: [],
    read_only: false,
    tier: null,
    rolled_from: null,
    expires_at: null,
  };
  await db.transaction([pair.live], (tx) => insertApiKeys(tx, [row]));
  return { tenantId: pair.live, key };
}

/**
 * Sends a write to the REST API, and returns the body of its response.
 * @throws {Error} if the response is not successful
 */
export async function postToApi(
  origin: string,
  key: string,
  path: string,
  body: object,
): Promise<Record<string, string>> {
  const response = await fetch(`${origin}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as Record<string, string>;
  if (!response.ok) throw new Error(`POST ${path} responded ${response.status}: ${JSON.stringify(result)}`);
  return result;
}
