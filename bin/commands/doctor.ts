import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATION_HEAD } from '../../migrations/index.js';
import { NEEDED_SCHEMA } from '../../migrations/needed-schema.js';
import { findPartitionProblems } from '../../migrations/partitions.js';
import type { Config } from '../../shared/config/config.js';
import type { StorageLocation } from '../../shared/config/storage-location.js';
import { getErrorCode } from '../../shared/platform/errors.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import { assertDirectConnection } from '../../shared/platform/postgres/pooler.js';
import { findPrivilegeProblems } from '../../shared/platform/postgres/privileges.js';
import { findMissingMigration } from '../../shared/server/missing-migration.js';
import { computeFingerprint, readSecretKeyFingerprint } from '../../shared/server/secret-key.js';
import { openStorage } from '../../shared/storage/open-storage.js';
import { assertWritable } from '../../shared/storage/probe.js';
import type { CommandContext, RunCommand } from '../cli/command.js';
import { CliError, describeReason, EXIT, type ExitCode, toCliError } from '../cli/exit-codes.js';
import { isReachableAsApp } from '../cli/store.js';
import { checkAccounts, checkClock, REMEDY_FOR_ACCOUNTS, REMEDY_FOR_CLOCK } from './doctor-clock.js';
import { checkConnections, REMEDY_FOR_CONNECTIONS } from './doctor-connections.js';
import {
  checkLostWrites,
  checkPrimary,
  REMEDY_FOR_LOST_WRITES,
  REMEDY_FOR_PRIMARY,
} from './doctor-primary.js';
import { checkRedis } from './doctor-redis.js';

/** The result of one check. `next` says how to fix a failure. */
interface Finding {
  name: string;
  status: 'ok' | 'fail' | 'skip';
  detail: string;
  next?: string;
  exit?: ExitCode;
}

/** Resolves with a description of the healthy state. Rejects with the problem. */
type Check = () => Promise<string>;

const MIN_NODE_VERSION = [20, 19] as const;
const MIN_POSTGRES_VERSION = 150_000;
const REMEDY_FOR_PARTITIONS =
  'The clock creates and drops partitions every hour; its log names the error. Move the rows of a default partition by hand.';
/** The checks that need PostgreSQL. */
const DATABASE_CHECKS = [
  'primary',
  'role',
  'migrations',
  'partitions',
  'clock',
  'accounts',
  'connections',
  'lost_writes',
  'secret_key',
];
/** The checks that need the tables of this version. */
const TABLE_CHECKS = DATABASE_CHECKS.slice(3);
const MIGRATE = 'Run `tow migrate` (npm start runs it automatically).';

/**
 * `tow doctor`: runs all checks, except those that depend on a failed check. Exits with the code of
 * the first failure, or with 0.
 */
export const runDoctor: RunCommand = async (_args, context) => {
  const findings = [
    await runCheck('node', 'Install Node.js 20.19 or later.', checkNode),
    ...(await checkSettings(context)),
  ];
  const failed = findings.find(({ status }) => status === 'fail');
  const data = { checks: findings.map(({ exit: _exit, ...finding }) => finding) };
  const text = findings.map(formatFinding).join('\n');
  if (!failed) return { data, text };
  const names = findings.filter(({ status }) => status === 'fail').map(({ name }) => name);
  return {
    data,
    text,
    failure: new CliError('unhealthy', `Failed checks: ${names.join(', ')}.`, failed.exit ?? EXIT.failed),
  };
};

function formatFinding({ name, status, detail, next }: Finding): string {
  return `${status.padEnd(4)}  ${name.padEnd(11)}  ${detail}${next ? `\n                   → ${next}` : ''}`;
}

async function runCheck(name: string, next: string, check: Check): Promise<Finding> {
  try {
    return { name, status: 'ok', detail: await check() };
  } catch (error) {
    return { name, status: 'fail', detail: describeReason(error), next, exit: toCliError(error).exit };
  }
}

function skipChecks(names: readonly string[], because: string): Finding[] {
  return names.map((name) => ({ name, status: 'skip', detail: `not checked: ${because}` }));
}

async function checkNode(): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = MIN_NODE_VERSION;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (isOld) throw new Error(`Node.js ${process.versions.node}`);
  return `Node.js ${process.versions.node}`;
}

async function checkSettings(context: CommandContext): Promise<Finding[]> {
  let config: Config | undefined;
  const settings = await runCheck(
    'settings',
    'Fix these environment variables; docs/guides/operators.md lists all settings.',
    async () => {
      config = context.config();
      if (config.warnings.length > 0) throw new Error(config.warnings.join(' '));
      return config.redis ? 'PostgreSQL and Redis' : 'all in one, without Redis';
    },
  );
  if (!config)
    return [
      settings,
      ...skipChecks(['data_dir', 'storage', 'postgres', ...DATABASE_CHECKS, 'redis'], 'the settings'),
    ];
  const { redis: location, dataDir, exportStorage } = config;
  const folder = await runCheck('data_dir', 'Set DATA_DIR to a folder that this user can write to.', () =>
    checkFolder(dataDir),
  );
  const redis = location
    ? await runCheck('redis', 'Check REDIS_URL; set maxmemory-policy to noeviction.', () =>
        checkRedis(location, context.logger),
      )
    : { name: 'redis', status: 'ok' as const, detail: 'not used' };
  const storage = await runCheck(
    'storage',
    'Set STORAGE_URL to a folder or bucket that this process can write to.',
    () => checkStorage(exportStorage),
  );
  return [settings, folder, storage, ...(await checkDatabase(context, config)), redis];
}

async function checkFolder(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const probe = join(dataDir, `.doctor-${randomBytes(4).toString('hex')}`);
  await writeFile(probe, '', { flag: 'wx' });
  await rm(probe);
  return dataDir;
}

async function checkDatabase(context: CommandContext, config: Config): Promise<Finding[]> {
  const next = config.databaseUrl
    ? 'Check DATABASE_URL and that the server runs.'
    : 'Fix the reason above, or set DATABASE_URL to use your own server.';
  let db: Database | undefined;
  let databaseUrl = '';
  const reachable = await runCheck('postgres', next, async () => {
    const store = await context.store();
    await assertDirectConnection(store.databaseUrl);
    const detail = await checkPostgres(store.db);
    ({ db, databaseUrl } = store);
    return detail;
  });
  if (!db) return [reachable, ...skipChecks(DATABASE_CHECKS, 'PostgreSQL')];
  const openDb = db;
  const primary = await runCheck('primary', REMEDY_FOR_PRIMARY, () => checkPrimary(openDb, config.redis));
  const role = await runCheck(
    'role',
    `${MIGRATE} The role of DATABASE_URL must own the tables and must not be a superuser.`,
    () => checkRole(openDb),
  );
  const migrations = await runCheck('migrations', MIGRATE, () => checkMigrations(openDb));
  if (migrations.status !== 'ok')
    return [reachable, primary, role, migrations, ...skipChecks(TABLE_CHECKS, 'the migrations')];
  return [
    reachable,
    primary,
    role,
    migrations,
    await runCheck('partitions', REMEDY_FOR_PARTITIONS, () => checkPartitions(databaseUrl)),
    await runCheck('clock', REMEDY_FOR_CLOCK, () => checkClock(openDb)),
    await runCheck('accounts', REMEDY_FOR_ACCOUNTS, () => checkAccounts(openDb)),
    await runCheck('connections', REMEDY_FOR_CONNECTIONS, () => checkConnections(openDb)),
    await runCheck('lost_writes', REMEDY_FOR_LOST_WRITES, () => checkLostWrites(openDb)),
    await runCheck('secret_key', 'Set the SECRET_KEY that the running processes have.', () =>
      checkSecretKey(openDb, config.secretKey),
    ),
  ];
}

async function checkPostgres(db: Database): Promise<string> {
  // The first query also opens the connection, so only the second query measures a round trip.
  if (!(await isReachableAsApp(db))) return 'reachable, but never migrated';
  const startedAt = performance.now();
  const [row] = await db.query<{ version: number }>({
    text: "select current_setting('server_version_num')::int as version",
  });
  const ms = Math.round((performance.now() - startedAt) * 10) / 10;
  const version = row?.version ?? 0;
  const name = `PostgreSQL ${Math.floor(version / 10_000)}`;
  if (version < MIN_POSTGRES_VERSION) throw new Error(`${name} is too old; 15 or later is needed`);
  return `${name}, ${ms} ms`;
}

async function checkRole(db: Database): Promise<string> {
  const faults = await findPrivilegeProblems(db);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return "the application's role owns nothing and sees one tenant at a time";
}

async function checkPartitions(databaseUrl: string): Promise<string> {
  const faults = await findPartitionProblems(databaseUrl);
  if (faults.length > 0) throw new Error(faults.join('; '));
  return 'the partitions of the coming weeks exist, old ones are dropped';
}

async function checkStorage(location: StorageLocation): Promise<string> {
  await assertWritable(openStorage(location));
  return location.kind === 'folder' ? location.path : `s3://${location.bucket}/${location.prefix}`;
}

async function checkSecretKey(db: Database, secretKey: string): Promise<string> {
  const fingerprint = await readSecretKeyFingerprint(db);
  if (fingerprint === undefined) return 'no process has started yet';
  if (fingerprint !== computeFingerprint(secretKey))
    throw new Error('differs from that of the running processes');
  return 'same as that of the running processes';
}

async function checkMigrations(db: Database): Promise<string> {
  const missing = await findMissingMigration(db, NEEDED_SCHEMA).catch((error: unknown) => {
    if (getErrorCode(error) === '42P01')
      return `the database has no migrations; it must be at ${MIGRATION_HEAD}`;
    throw error;
  });
  if (missing) throw new Error(missing);
  return MIGRATION_HEAD;
}
