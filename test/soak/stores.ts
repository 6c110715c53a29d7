import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../bin/embedded-postgres/start.js';
import { findClusterDir } from '../support/load/processes.js';
import { TcpForwarder } from '../support/network/tcp-forwarder.js';
import { eventually } from '../support/poll.js';
import { SentinelRedis, SingleRedis, type SoakRedis } from './redis.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/**
 * The processes of a run open more connections than those of one test. The WAL is small, so that a
 * small disk holds it.
 */
const SETTINGS = { max_connections: '400', min_wal_size: '32MB', max_wal_size: '96MB' };
/** Each switch of the WAL uses up one of the files that PostgreSQL keeps for the next WAL. */
const WAL_SWITCHES = 20;

/**
 * The PostgreSQL and the Redis of a run. The product reaches PostgreSQL through a forwarder, in
 * which faults delay or stop the bytes.
 */
export class SoakStores {
  private constructor(
    private readonly folder: string,
    private readonly postgres: EmbeddedPostgres,
    readonly redis: SoakRedis,
    readonly toPostgres: TcpForwarder,
    /** The disk of the WAL; undefined if this user may not mount. */
    readonly walDisk: SmallDisk | undefined,
  ) {}

  static async start({ withSentinels = false } = {}): Promise<SoakStores> {
    const folder = mkdtempSync(join(tmpdir(), 'tow-soak-'));
    // If root runs this, PostgreSQL runs as another account, which must be able to enter.
    chmodSync(folder, 0o755);
    const options = { dataDir: folder, logger: silent, settings: SETTINGS };
    await (await startEmbeddedPostgres(options)).stop();
    const walDisk = moveToSmallDisk(join((await findClusterDir(folder)) ?? '', 'pg_wal'));
    const postgres = await startEmbeddedPostgres(options);
    const redis = await (withSentinels ? SentinelRedis : SingleRedis).start();
    const toPostgres = await TcpForwarder.start(postgres.port);
    return new SoakStores(folder, postgres, redis, toPostgres, walDisk);
  }

  /** The owner's connection string, through the forwarder. */
  get databaseUrl(): string {
    const url = new URL(this.postgres.databaseUrl);
    url.port = `${this.toPostgres.port}`;
    return url.href;
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

  /** Leaves no space for further WAL until {@link SmallDisk.free}, so that PostgreSQL crashes. */
  async exhaustWal(): Promise<void> {
    this.walDisk?.fill();
    const use = async () => {
      for (let nth = 0; nth < WAL_SWITCHES; nth += 1)
        await this.query('select pg_logical_emit_message(false, $$soak$$, $$x$$), pg_switch_wal()');
    };
    // The query fails once PostgreSQL has crashed.
    const hasCrashed = await use().then(
      () => false,
      () => true,
    );
    if (!hasCrashed) throw new Error('PostgreSQL did not need more space for its WAL');
  }

  async stop(): Promise<void> {
    await this.toPostgres.stop();
    await this.redis.stop();
    await this.postgres.stop();
    this.walDisk?.unmount();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Moves a folder with all its files to a small disk, and mounts the disk at the folder.
 * @returns undefined, if this user may not mount
 */
function moveToSmallDisk(folder: string): SmallDisk | undefined {
  const copy = `${folder}.copy`;
  execFileSync('cp', ['-a', folder, copy]);
  const { uid, gid } = statSync(folder);
  const disk = SmallDisk.mount(folder, 192);
  if (disk) execFileSync('cp', ['-a', `${copy}/.`, folder]);
  if (disk) chownSync(folder, uid, gid);
  rmSync(copy, { recursive: true });
  return disk;
}

/** The disks that are mounted. A run that ends early unmounts them in the exit handler. */
const mounted = new Set<SmallDisk>();
process.once('exit', () => {
  for (const disk of mounted) disk.unmount();
});

/** A small file system in memory. A fault can fill it without harm to the machine. */
export class SmallDisk {
  #freedAt = 0;

  private constructor(private readonly folder: string) {}

  /** @returns undefined, if this user may not mount */
  static mount(folder: string, megabytes: number): SmallDisk | undefined {
    try {
      const size = `size=${megabytes}m`;
      execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder], { stdio: 'ignore' });
      const disk = new SmallDisk(folder);
      mounted.add(disk);
      return disk;
    } catch {
      return undefined;
    }
  }

  /** Returns whether the disk was full at some moment since `at` (in ms since 1970). */
  wasFullSince(at: number): boolean {
    return this.#freedAt >= at;
  }

  /** Leaves no byte free. */
  fill(): void {
    this.#freedAt = Number.POSITIVE_INFINITY;
    const args = ['if=/dev/zero', `of=${this.#ballast}`, 'bs=64k'];
    // dd fails once the disk is full.
    try {
      execFileSync('dd', args, { stdio: 'ignore' });
    } catch {}
    const { bfree } = statfsSync(this.folder);
    if (bfree > 0) throw new Error(`the disk is not full: ${bfree} blocks are free`);
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
    this.#freedAt = Date.now();
  }

  unmount(): void {
    if (mounted.delete(this)) execFileSync('umount', ['-l', this.folder]);
  }

  get #ballast(): string {
    return join(this.folder, '.ballast');
  }
}
