import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../bin/embedded-postgres/start.js';
import { migrate } from '../../migrations/migrate.js';
import { getAppRole } from '../../shared/platform/postgres/session.js';
import { hasProgram, type RedisServer, startRedisServer } from './redis/programs.js';

/**
 * Whether the product runs scaled out. Redis then has the queues, the replies and the limits;
 * otherwise PostgreSQL has everything.
 */
export const IS_SCALED = process.env.TEST_WAY === 'scaled';

interface Stores {
  /** Connection string of a role that may create databases. */
  superuserUrl: string;
  /** Builds the owner role's connection string for a database. */
  ownerUrl: (database: string) => string;
  redisPort: number | undefined;
  stop: () => Promise<void>;
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const TEMPLATE = 'tow_template';
/**
 * Settings of the tests' PostgreSQL. The data is deleted after the run, so it need not survive a
 * power failure. Several stacks run at a time, so the server must accept many connections.
 */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '500',
  // A process of PostgreSQL visits each database this often, and a test run has many databases.
  autovacuum_naptime: '60s',
};

const FIRST_PORT = 12_000;
const LAST_PORT = 20_000;

let stores: Promise<Stores> | undefined;
let databases = 0;
let redisDatabases = 0;

/** Returns the test run's PostgreSQL, and its Redis when scaled out. The first call starts them. */
export function getStores(): Promise<Stores> {
  stores ??= startStores();
  return stores;
}

/** Stops the stores that {@link getStores} started. The root hook calls this function. */
export async function stopStores(): Promise<void> {
  if (stores) await (await stores).stop();
}

async function startStores(): Promise<Stores> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tow-test-'));
  // If root runs the tests, PostgreSQL runs as another system account, which must be able to enter
  // this folder. Otherwise the embedded server would put its cluster below /var/lib.
  chmodSync(dataDir, 0o755);
  const external = process.env.TEST_SUPERUSER_URL;
  const embedded = external
    ? undefined
    : await startEmbeddedPostgres({ dataDir, logger: silent, settings: SETTINGS });
  const redis = IS_SCALED ? await startRedis() : undefined;
  const ownerUrl = external ? await makeOwner(external) : withDatabase(embedded as EmbeddedPostgres);
  const started: Stores = {
    superuserUrl: external ?? (embedded as EmbeddedPostgres).superuserUrl,
    ownerUrl,
    redisPort: redis?.port,
    stop: async () => {
      redis?.process.kill('SIGKILL');
      await embedded?.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  await makeTemplate(started);
  return started;
}

function withDatabase(embedded: EmbeddedPostgres): (database: string) => string {
  return (database) => replaceDatabase(embedded.databaseUrl, database);
}

function replaceDatabase(url: string, database: string): string {
  const copy = new URL(url);
  copy.pathname = `/${database}`;
  return copy.href;
}

/**
 * Creates the owner role `tow` with the rights that it has in a deployment. The role may create
 * roles but is no superuser. Returns a function that builds the role's connection strings.
 */
async function makeOwner(superuserUrl: string): Promise<(database: string) => string> {
  await asSuperuser(superuserUrl, async (client) => {
    await client.query(
      `do $$ begin create role tow login createrole password 'tow'; exception when duplicate_object then null; end $$`,
    );
  });
  const url = new URL(superuserUrl);
  url.username = 'tow';
  url.password = 'tow';
  return (database) => replaceDatabase(url.href, database);
}

async function asSuperuser(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}

async function makeTemplate({ superuserUrl, ownerUrl }: Stores): Promise<void> {
  await asSuperuser(superuserUrl, async (client) => {
    await client.query(`drop database if exists ${TEMPLATE} with (force)`);
    await client.query(`create database ${TEMPLATE} owner tow`);
  });
  const databaseUrl = ownerUrl(TEMPLATE);
  await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });
}

/** Clones the migrated template, and returns the connection string of the clone's owner. */
export async function createDatabase(): Promise<string> {
  const { superuserUrl, ownerUrl } = await getStores();
  databases += 1;
  const name = `tow_test_${process.pid}_${databases}`;
  await asSuperuser(superuserUrl, async (client) => {
    await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy owner tow`);
  });
  return ownerUrl(name);
}

/** Works like {@link createDatabase}, but returns the connection string of a superuser. */
export async function createSuperuserDatabase(): Promise<string> {
  const { pathname } = new URL(await createDatabase());
  const { superuserUrl } = await getStores();
  return replaceDatabase(superuserUrl, pathname.slice(1));
}

/**
 * Returns a superuser's connection string for each database that {@link createDatabase} has created
 * and that still exists.
 */
export async function listDatabases(): Promise<string[]> {
  if (!stores) return [];
  const { superuserUrl } = await stores;
  const names: string[] = [];
  await asSuperuser(superuserUrl, async (client) => {
    const pattern = `tow_test_${process.pid}_%`;
    const { rows } = await client.query('select datname from pg_database where datname like $1', [pattern]);
    names.push(...rows.map(({ datname }) => datname));
  });
  return names.map((name) => replaceDatabase(superuserUrl, name));
}

/** Creates a database without tables, and returns the connection string of its owner. */
export async function createEmptyDatabase(): Promise<string> {
  const { superuserUrl, ownerUrl } = await getStores();
  databases += 1;
  const name = `tow_empty_${process.pid}_${databases}`;
  await asSuperuser(superuserUrl, async (client) => {
    await client.query(`create database ${name} owner tow`);
  });
  return ownerUrl(name);
}

/**
 * Returns the URL of a new Redis database at each call; undefined if this run uses only PostgreSQL.
 */
export async function createRedisUrl(): Promise<string | undefined> {
  const { redisPort } = await getStores();
  if (!redisPort) return undefined;
  redisDatabases += 1;
  return `redis://127.0.0.1:${redisPort}/${redisDatabases % 200}`;
}

/**
 * Returns a free port from 12000 to 19998. The system does not use these ports for outgoing
 * connections, and the embedded PostgreSQL does not choose them. This process keeps listening on
 * the port after it. So no other test process gets the same port before the caller listens on it.
 */
export async function getFreePort(): Promise<number> {
  const port = 2 * randomInt(FIRST_PORT / 2, LAST_PORT / 2);
  const reservation = await listen(port + 1);
  if (!reservation) return getFreePort();
  const trial = await listen(port);
  if (!trial) return new Promise((resolve) => reservation.close(() => resolve(getFreePort())));
  return new Promise((resolve) => trial.close(() => resolve(port)));
}

/** Listens on a port without keeping the process alive. Returns undefined if the port is taken. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer().unref();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

export function hasRedisServer(): boolean {
  return hasProgram('redis-server');
}

/**
 * Starts a Redis that stores nothing on disk, and waits until it responds.
 * @param more arguments of redis-server that replace the defaults
 * @throws if redis-server is not installed
 */
export async function startRedis(port?: number, more: string[] = []): Promise<RedisServer> {
  if (!hasRedisServer()) throw new Error('TEST_WAY=scaled needs redis-server on PATH');
  const chosen = port ?? (await getFreePort());
  return startRedisServer({ port: chosen, args: ['--port', `${chosen}`, '--databases', '201', ...more] });
}
