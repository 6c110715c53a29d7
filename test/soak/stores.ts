import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findClusterDir } from '../support/load/processes.js';
import { TcpForwarder } from '../support/network/tcp-forwarder.js';
import { PostgresPair, runQueries, SinglePostgres, type SoakPostgres } from './postgres.js';
import { SentinelRedis, SingleRedis, type SoakRedis } from './redis.js';

/** Each switch of the WAL uses up one of the files that PostgreSQL keeps for the next WAL. */
const WAL_SWITCHES = 20;

/**
 * The PostgreSQL and the Redis of a run. The product reaches PostgreSQL through a forwarder, in
 * which faults delay or stop the bytes.
 */
export class SoakStores {
  private constructor(
    private readonly folder: string,
    private readonly postgres: SoakPostgres,
    readonly redis: SoakRedis,
    readonly toPostgres: TcpForwarder,
    /** The disk of the WAL; undefined with a standby, or if this user may not mount. */
    readonly walDisk: SmallDisk | undefined,
  ) {}

  static async start({ withSentinels = false, withStandby = false } = {}): Promise<SoakStores> {
    const folder = mkdtempSync(join(tmpdir(), 'tow-soak-'));
    // If root runs this, PostgreSQL runs as another account, which must be able to enter.
    chmodSync(folder, 0o755);
    let walDisk: SmallDisk | undefined;
    const moveWal = async () => {
      walDisk = moveToSmallDisk(join((await findClusterDir(folder)) ?? '', 'pg_wal'));
    };
    const postgres = await (withStandby ? PostgresPair.start(folder) : SinglePostgres.start(folder, moveWal));
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

  /**
   * Runs a query in the product's database as the superuser, not through the forwarder. Returns the
   * number of rows.
   */
  query(text: string): Promise<number> {
    const url = new URL(this.postgres.superuserUrl);
    url.pathname = new URL(this.postgres.databaseUrl).pathname;
    return runQueries(url.href, [text]);
  }

  /**
   * Ends PostgreSQL. Resolves once it runs again and has its standby, with true if the standby took
   * over.
   */
  async endPostgres(signal: 'SIGKILL' | 'SIGQUIT'): Promise<boolean> {
    const isReplaced = await this.postgres.end(signal);
    if (isReplaced) this.toPostgres.leadTo(this.postgres.port);
    await this.postgres.complete();
    return isReplaced;
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
