import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { canAnswerQueries } from '../../../bin/embedded-postgres/database.js';
import { buildSpawnOptions, chooseSystemAccount } from '../../../bin/embedded-postgres/system-account.js';
import { eventually } from '../poll.js';
import { getFreePort } from '../stores.js';

/** A streaming replica that starts from a copy of a running server's files. */
export class Replica {
  private constructor(
    readonly port: number,
    private readonly server: ChildProcess,
    private readonly end: () => Promise<void>,
  ) {}

  /** @param postgres path of the program `postgres` */
  static async start(superuserUrl: string, postgres: string): Promise<Replica> {
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
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100'];
    const args = ['-D', cluster, '-p', `${port}`, ...settings.flatMap((one) => ['-c', one])];
    const server = spawn(postgres, args, { ...buildSpawnOptions(account), stdio: 'ignore' });
    const ended = new Promise((resolve) => server.once('close', resolve));
    const replica = new Replica(port, server, async () => {
      server.kill('SIGINT');
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
    return this.end();
  }
}

async function copyCluster(superuserUrl: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rows } = await client.query('show data_directory');
    await client.query("select pg_backup_start('replica', true)");
    const isCopied = (path: string) => !/postmaster\.(pid|opts)$/.test(path);
    cpSync(rows[0].data_directory, to, { recursive: true, filter: isCopied });
    const stopped = await client.query('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(to, 'backup_label'), stopped.rows[0].labelfile);
  } finally {
    await client.end();
  }
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${command}: ${code}`))));
  });
}
