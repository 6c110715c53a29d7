/** Helpers for the tests of the embedded PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { buildClusterName } from '../../../bin/embedded-postgres/process.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';

const MODULE = new URL('../../../bin/embedded-postgres/start.ts', import.meta.url).href;
const PROJECT = path.resolve(import.meta.dirname, '../../..');

/** A logger that keeps its entries in memory. */
export class LogRecorder {
  readonly entries: string[] = [];
  info = (_o: object, m: string): void => void this.entries.push(`info ${m}`);
  warn = (_o: object, m: string): void => void this.entries.push(`warn ${m}`);
  error = (_o: object, m: string): void => void this.entries.push(`error ${m}`);
}

/** Opens a connection, runs one query, and closes the connection. */
export async function runQuery<R extends QueryResultRow>(url: string, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<R>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Repeats the task until it succeeds. After the timeout, throws the error of the last try. */
export async function retryUntilSuccess<T>(task: () => Promise<T>, timeoutMs = 15_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await task();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(20);
    }
  }
}

/** Returns the error that a promise rejects with. Throws if the promise resolves. */
export async function expectRejection(task: Promise<unknown>): Promise<Error> {
  try {
    await task;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('the promise did not reject');
}

/** The members of postgres.json that the tests read. */
export interface PostgresState {
  cluster: string;
  port: number;
}

export async function readPostgresState(dataDir: string): Promise<PostgresState> {
  return JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8')) as PostgresState;
}

/** Returns the absolute path of the cluster's folder, which postgres.json names. */
export async function resolveClusterDir(dataDir: string): Promise<string> {
  return path.resolve(dataDir, (await readPostgresState(dataDir)).cluster);
}

/**
 * Lists a cluster's running processes as `<pid> <command line>`, without zombies. Finds them by the
 * cluster's folder or the cluster's name in the command line.
 */
export async function listClusterProcesses(clusterDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
      const title = `postgres: ${buildClusterName(clusterDir)}: `;
      if (args.includes(clusterDir) || args[0]?.startsWith(title)) found.push(`${pid} ${args.join(' ')}`);
    } catch {
      // The process has ended since /proc was listed.
    }
  }
  return found;
}

/**
 * Starts the embedded PostgreSQL from a new Node.js process. Resolves once that process prints the
 * server's URL and pid.
 */
export async function startInChildProcess(
  dataDir: string,
  identity: { uid?: number; gid?: number } = {},
): Promise<{ child: ChildProcess; databaseUrl: string; pid: number }> {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
    const log = (o, m) => console.error(m, JSON.stringify(o));
    const logger = { info: log, warn: log, error: log };
    const pg = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, logger });
    console.log(JSON.stringify({ databaseUrl: pg.databaseUrl, pid: pg.pid() }));
    process.once('SIGTERM', () => pg.stop());
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const [firstOutput] = await Promise.race([
    once(child.stdout, 'data') as Promise<[Buffer]>,
    once(child, 'close').then(() => Promise.reject(new Error(`ended early: ${errors}`))),
  ]);
  return {
    child,
    ...(JSON.parse(firstOutput.toString('utf8')) as { databaseUrl: string; pid: number }),
  };
}

export async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = once(child, 'exit');
  child.kill(signal);
  const [code] = (await ended) as [number | null];
  return code;
}

/**
 * Starts and stops the servers of one `describe` block, and removes their files.
 * {@link usePostgresServers} creates this object and registers the hooks.
 */
export class PostgresServers {
  /** The DATA_DIR that the tests of the block share. It does not exist before the first start. */
  dataDir = '';
  /**
   * Folders to remove after the block: the temporary folders, and each cluster's folder, which may
   * be elsewhere.
   */
  readonly folders = new Set<string>();
  logEntries: readonly string[] = [];
  #running: EmbeddedPostgres | undefined;

  async temporaryFolder(): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'tow-pg-test-'));
    this.folders.add(folder);
    return folder;
  }

  async start(dataDir = this.dataDir, port?: number): Promise<EmbeddedPostgres> {
    const logger = new LogRecorder();
    this.logEntries = logger.entries;
    this.#running = await startEmbeddedPostgres({ dataDir, logger, ...(port === undefined ? {} : { port }) });
    this.folders.add(await resolveClusterDir(dataDir));
    return this.#running;
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }

  async cleanUp(): Promise<void> {
    for (const folder of this.folders) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Registers the hooks of a `describe` block. They choose a DATA_DIR, stop the server after each
 * test, and remove all files after the block.
 */
export function usePostgresServers(): PostgresServers {
  const servers = new PostgresServers();
  before(async () => {
    servers.dataDir = path.join(await servers.temporaryFolder(), 'deep', 'data');
  });
  afterEach(() => servers.stop());
  after(() => servers.cleanUp());
  return servers;
}
