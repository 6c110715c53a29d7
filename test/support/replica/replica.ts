import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { canAnswerQueries } from '../../../bin/embedded-postgres/database.js';
import { buildSpawnOptions, chooseSystemAccount } from '../../../bin/embedded-postgres/system-account.js';
import { eventually } from '../poll.js';
import { getFreePort } from '../stores.js';

const SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '100' };

/** A streaming replica that starts from a copy of a running server's files. */
export class Replica {
  private constructor(
    readonly port: number,
    private readonly server: ChildProcess,
    private readonly end: (signal: NodeJS.Signals) => Promise<void>,
  ) {}

  /**
   * @param postgres path of the program `postgres`
   * @param settings settings of PostgreSQL, beside the files that are copied
   */
  static async start(
    superuserUrl: string,
    postgres: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Replica> {
    const account = await chooseSystemAccount(undefined);
    const folder = mkdtempSync(join(tmpdir(), 'tow-replica-'));
    const cluster = join(folder, 'data');
    await copyCluster(superuserUrl, cluster);
    const primary = new URL(superuserUrl);
    const conninfo = `host=127.0.0.1 port=${primary.port} user=${primary.username} password=${decodeURIComponent(primary.password)}`;
    writeFileSync(join(cluster, 'standby.signal'), '');
    writeFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    if (account) await run('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
    chmodSync(folder, 0o755);
    chmodSync(cluster, 0o700);
    const port = await getFreePort();
    const all = { ...SETTINGS, ...settings };
    const args = ['-D', cluster, '-p', `${port}`];
    for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`);
    const server = spawn(postgres, args, { ...buildSpawnOptions(account), stdio: 'ignore' });
    const ended = new Promise((resolve) => server.once('close', resolve));
    const replica = new Replica(port, server, async (signal) => {
      server.kill(signal);
      await ended;
      rmSync(folder, { recursive: true, force: true });
    });
    await eventually('the replica to answer', () => canAnswerQueries(replica.toReplicaUrl(superuserUrl)));
    return replica;
  }

  toReplicaUrl(url: string): string {
    const replicaUrl = new URL(url);
    replicaUrl.port = String(this.port);
    return replicaUrl.href;
  }

  /** Lets the replica hang, with its connections open. Linux only. */
  suspend(): void {
    this.signalAll('SIGSTOP');
  }

  resume(): void {
    this.signalAll('SIGCONT');
  }

  private signalAll(signal: NodeJS.Signals): void {
    const { pid } = this.server;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    for (const one of [pid, ...children]) process.kill(Number(one), signal);
  }

  stop(): Promise<void> {
    return this.end('SIGINT');
  }

  /** Ends the server as an accident would, and deletes its files. */
  kill(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    return this.end(signal);
  }
}

async function copyCluster(superuserUrl: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rows } = await client.query('show data_directory');
    await client.query("select pg_backup_start('replica', true)");
    await copyFiles(rows[0].data_directory, to);
    const stopped = await client.query('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), stopped.rows[0].labelfile);
  } finally {
    await client.end();
  }
}

/**
 * Copies the files of a server that runs. Its WAL is left out, because the replica receives it from
 * the server. Files may change or vanish meanwhile; the WAL mends that.
 */
async function copyFiles(from: string, to: string): Promise<void> {
  mkdirSync(to);
  const excluded = ['./pg_wal/*', './postmaster.*'].map((path) => `--exclude=${path}`);
  const reader = spawn('tar', ['-C', from, ...excluded, '-cf', '-', '.'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const writer = spawn('tar', ['-C', to, '-xf', '-'], { stdio: ['pipe', 'ignore', 'ignore'] });
  reader.stdout.pipe(writer.stdin);
  const [[read], [written]] = await Promise.all([once(reader, 'close'), once(writer, 'close')]);
  // tar ends with 1 if a file has changed or vanished.
  if (read > 1 || written !== 0) throw new Error(`tar ended with ${read} and ${written}`);
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${command}: ${code}`))));
  });
}
