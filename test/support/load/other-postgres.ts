/**
 * Runs psql, and PostgreSQL servers of other versions than the embedded server. These programs must
 * be able to restore the product's dumps without the product.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { canAnswerQueries } from '../../../bin/embedded-postgres/database.js';
import {
  buildSpawnOptions,
  chooseSystemAccount,
  runProgram,
  type SystemAccount,
} from '../../../bin/embedded-postgres/system-account.js';
import { eventually } from '../poll.js';
import { getFreePort } from '../stores.js';

/** True if the tests must skip psql because it is not installed. CI installs it and never skips. */
export const IS_PSQL_MISSING = spawnSync('psql', ['--version']).status !== 0 && process.env.CI !== 'true';

/** Runs an SQL file with psql, as the documentation says. Returns psql's output and exit code. */
export async function runPsql(
  databaseUrl: string,
  file: string,
): Promise<{ code: number | null; output: string }> {
  const args = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', databaseUrl, '-f', file];
  const child = spawn('psql', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => void chunks.push(piece));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output: Buffer.concat(chunks).toString() };
}

const INSTALLED = '/usr/lib/postgresql';

/**
 * Lists the folders that contain the program `postgres`. If TEST_POSTGRES_BIN names folders,
 * separated by colons, lists only these. Otherwise lists the folders of all installed versions.
 */
export function findOtherPostgresFolders(): string[] {
  const named = process.env.TEST_POSTGRES_BIN?.split(':');
  const installed = existsSync(INSTALLED)
    ? readdirSync(INSTALLED).map((version) => join(INSTALLED, version, 'bin'))
    : [];
  return (named ?? installed).filter((folder) => existsSync(join(folder, 'postgres')));
}

/** A PostgreSQL server on loopback with a new, empty cluster. */
export class OtherPostgres {
  private constructor(
    /** The connection string of an empty database, in the superuser's role. */
    readonly databaseUrl: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(folder: string): Promise<OtherPostgres> {
    const account = await chooseSystemAccount(undefined);
    const clusterDir = mkdtempSync('/tmp/tow-other-');
    if (account) chownSync(clusterDir, account.uid, account.gid);
    await initialize(folder, clusterDir, account);
    const port = await getFreePort();
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
    const args = ['-D', clusterDir, '-p', `${port}`, ...settings.flatMap((one) => ['-c', one])];
    const server = spawn(join(folder, 'postgres'), args, { ...buildSpawnOptions(account), stdio: 'ignore' });
    const ended = new Promise((resolve) => server.once('close', resolve));
    const databaseUrl = `postgres://postgres@127.0.0.1:${port}/postgres`;
    await eventually('the other PostgreSQL to answer', () => canAnswerQueries(databaseUrl));
    return new OtherPostgres(databaseUrl, async () => {
      server.kill('SIGINT');
      await ended;
      rmSync(clusterDir, { recursive: true, force: true });
    });
  }

  stop(): Promise<void> {
    return this.end();
  }
}

async function initialize(
  folder: string,
  clusterDir: string,
  account: SystemAccount | undefined,
): Promise<void> {
  const args = ['-D', clusterDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'];
  const { ok, endReason, output } = await runProgram(join(folder, 'initdb'), args, account, 60_000);
  if (!ok) throw new Error(`initdb: ${endReason}: ${output}`);
}
