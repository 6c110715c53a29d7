/**
 * Runs an installed PostgreSQL server as docs/guides/restore.md says: it archives its WAL, has base
 * backups, and comes back as it was at a given second.
 */
import { spawn } from 'node:child_process';
import { appendFile, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
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
import { PROJECT } from './processes.js';

const PROGRAM_TIMEOUT_MS = 120_000;

/** Reads the two blocks of settings in the guide: those of the archive, and those of a restore. */
async function readGuideSettings(): Promise<{ archive: string; restore: string }> {
  const guide = await readFile(join(PROJECT, 'docs/guides/restore.md'), 'utf8');
  const [archive, restore] = [...guide.matchAll(/```ini\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  if (!archive || !restore) throw new Error('the guide has no two blocks of settings');
  return { archive, restore };
}

export class RestorablePostgres {
  #stopServer: (() => Promise<void>) | undefined;

  private constructor(
    /** The folder of PostgreSQL's programs, such as /usr/lib/postgresql/15/bin. */
    private readonly programs: string,
    private readonly folder: string,
    private readonly account: SystemAccount | undefined,
    private readonly port: number,
  ) {}

  /** Creates an empty cluster that archives its WAL, and starts its server. */
  static async start(programs: string): Promise<RestorablePostgres> {
    const account = await chooseSystemAccount(undefined);
    const folder = await mkdtemp('/tmp/tow-restore-');
    if (account) await chown(folder, account.uid, account.gid);
    const postgres = new RestorablePostgres(programs, folder, account, await getFreePort());
    await postgres.#runProgram('mkdir', join(folder, 'wal'), join(folder, 'base'));
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'];
    await postgres.#runProgram(join(programs, 'initdb'), '-D', join(folder, 'data'), ...options);
    const { archive } = await readGuideSettings();
    await appendFile(join(folder, 'data/postgresql.conf'), postgres.#withOwnPaths(archive));
    await postgres.#startServer('data');
    return postgres;
  }

  /** Returns the connection string of a database for a role. */
  buildUrl(database: string, role = 'postgres'): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`;
  }

  async takeBaseBackup(): Promise<void> {
    const target = join(this.folder, 'base/first');
    const args = ['-d', this.buildUrl('postgres'), '-D', target, '-c', 'fast', '-X', 'stream'];
    await this.#runProgram(join(this.programs, 'pg_basebackup'), ...args);
    await this.#runProgram(join(this.programs, 'pg_verifybackup'), target);
  }

  /** Starts a server on a copy of the base backup, which recovers until the given time. */
  async restoreTo(time: string): Promise<void> {
    const restored = join(this.folder, 'restored');
    await this.#runProgram('cp', '-a', join(this.folder, 'base/first'), restored);
    const { restore } = await readGuideSettings();
    const settings = this.#withOwnPaths(restore).replace(/(?<=recovery_target_time = ')[^']*/, time);
    await appendFile(join(restored, 'postgresql.auto.conf'), settings);
    await this.#runProgram('touch', join(restored, 'recovery.signal'));
    await this.#startServer('restored');
  }

  async stop(): Promise<void> {
    await this.#stopServer?.();
    this.#stopServer = undefined;
  }

  /** Stops the server and removes all its files. */
  async end(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #withOwnPaths(settings: string): string {
    return settings.replaceAll('/srv/tow-wal', join(this.folder, 'wal')).replace(/^ +/gm, '');
  }

  async #runProgram(file: string, ...args: string[]): Promise<void> {
    const { ok, endReason, output } = await runProgram(file, args, this.account, PROGRAM_TIMEOUT_MS);
    if (!ok) throw new Error(`${file}: ${endReason}: ${output}`);
  }

  async #startServer(name: 'data' | 'restored'): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
    const args = [
      '-D',
      join(this.folder, name),
      '-p',
      `${this.port}`,
      ...settings.flatMap((one) => ['-c', one]),
    ];
    const server = spawn(join(this.programs, 'postgres'), args, {
      ...buildSpawnOptions(this.account),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    server.stderr.on('data', (data: Buffer) => {
      output += data.toString();
    });
    const ended = new Promise((resolve) => server.once('close', resolve));
    this.#stopServer = async () => {
      server.kill('SIGINT');
      await ended;
    };
    await eventually(
      'PostgreSQL to answer',
      () => {
        if (server.exitCode !== null) throw new Error(`PostgreSQL ended: ${output.slice(-4000)}`);
        return canAnswerQueries(this.buildUrl('postgres'));
      },
      PROGRAM_TIMEOUT_MS,
    );
  }
}
