import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../bin/embedded-postgres/start.js';
import { TcpForwarder } from '../support/network/tcp-forwarder.js';
import { eventually } from '../support/poll.js';
import { killServer, type RedisServer, runRedisCli } from '../support/redis/programs.js';
import { getFreePort, startRedis } from '../support/stores.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** The processes of a run open more connections than those of one test. */
const SETTINGS = { max_connections: '400' };

/**
 * The PostgreSQL and the Redis of a run. The product reaches both through forwarders, in which
 * faults delay or stop the bytes.
 */
export class SoakStores {
  private constructor(
    private readonly folder: string,
    private readonly postgres: EmbeddedPostgres,
    private redis: RedisServer,
    readonly toPostgres: TcpForwarder,
    readonly toRedis: TcpForwarder,
  ) {}

  static async start(): Promise<SoakStores> {
    const folder = mkdtempSync(join(tmpdir(), 'tow-soak-'));
    // If root runs this, PostgreSQL runs as another account, which must be able to enter.
    chmodSync(folder, 0o755);
    const postgres = await startEmbeddedPostgres({ dataDir: folder, logger: silent, settings: SETTINGS });
    const redis = await startRedis(await getFreePort());
    const toPostgres = await TcpForwarder.start(postgres.port);
    return new SoakStores(folder, postgres, redis, toPostgres, await TcpForwarder.start(redis.port));
  }

  /** The owner's connection string, through the forwarder. */
  get databaseUrl(): string {
    const url = new URL(this.postgres.databaseUrl);
    url.port = `${this.toPostgres.port}`;
    return url.href;
  }

  get redisUrl(): string {
    return `redis://127.0.0.1:${this.toRedis.port}`;
  }

  /** Runs a query as the superuser, not through the forwarder. */
  async query(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.postgres.superuserUrl });
    client.on('error', () => undefined);
    await client.connect();
    await client.query(text).finally(() => client.end());
  }

  /** Sends a signal to the postmaster, and waits until another postmaster runs. */
  async endPostgres(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    const before = this.postgres.pid();
    if (before === undefined) throw new Error('there is no PostgreSQL to end');
    process.kill(before, signal);
    await eventually('another PostgreSQL', () => {
      const pid = this.postgres.pid();
      return pid !== undefined && pid !== before;
    });
  }

  async flushRedis(): Promise<void> {
    const reply = await runRedisCli(['-p', `${this.redis.port}`, 'flushall']);
    if (reply !== 'OK') throw new Error(`FLUSHALL: ${reply}`);
  }

  /** Kills Redis, and starts it again on the same port without its data. */
  async restartRedis(): Promise<void> {
    await killServer(this.redis);
    this.redis = await startRedis(this.redis.port);
  }

  /** Starts Redis again if a Ctrl+C of the terminal, which all programs get, has ended it. */
  async reviveRedis(): Promise<void> {
    const { exitCode, signalCode } = this.redis.process;
    if (exitCode !== null || signalCode !== null) await this.restartRedis();
  }

  suspendRedis(): void {
    this.redis.process.kill('SIGSTOP');
  }

  resumeRedis(): void {
    this.redis.process.kill('SIGCONT');
  }

  async stopRedis(): Promise<void> {
    this.resumeRedis();
    await killServer(this.redis);
  }

  async stop(): Promise<void> {
    await this.toPostgres.stop();
    await this.toRedis.stop();
    await this.stopRedis();
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A small file system in memory. A fault can fill it without harm to the machine. */
export class SmallDisk {
  private constructor(private readonly folder: string) {}

  /** @returns undefined, if this user may not mount */
  static mount(folder: string): SmallDisk | undefined {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder], { stdio: 'ignore' });
      return new SmallDisk(folder);
    } catch {
      return undefined;
    }
  }

  /** Leaves no byte free. */
  fill(): void {
    const args = ['if=/dev/zero', `of=${this.#ballast}`, 'bs=64k'];
    // dd fails once the disk is full.
    try {
      execFileSync('dd', args, { stdio: 'ignore' });
    } catch {}
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['-l', this.folder]);
  }

  get #ballast(): string {
    return join(this.folder, '.ballast');
  }
}
