import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findClusterDir } from '../support/load/processes.js';
import { TcpForwarder } from '../support/network/tcp-forwarder.js';
import { PostgresPair, runQueries, SinglePostgres, type SoakPostgres } from './postgres.js';
import { SentinelRedis, SingleRedis, type SoakRedis } from './redis.js';

/** Each switch of the WAL uses up one of the files that PostgreSQL keeps for the next WAL. */
const WAL_SWITCHES = 20;

interface StoresOptions {
  withSentinels?: boolean;
  withStandby?: boolean;
  slowDisk?: SlowDisk;
}

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
    /** The disk of the WAL. None with a standby or a slow disk, or if this user may not mount. */
    readonly walDisk: SmallDisk | undefined,
    /** The disk of all files of the stores, if faults can slow it down. */
    readonly slowDisk: SlowDisk | undefined,
  ) {}

  static async start({ withSentinels, withStandby, slowDisk }: StoresOptions = {}): Promise<SoakStores> {
    const folder = mkdtempSync(join(tmpdir(), 'tow-soak-'));
    // If root runs this, PostgreSQL runs as another account, which must be able to enter.
    chmodSync(folder, 0o755);
    let walDisk: SmallDisk | undefined;
    const moveWal = async () => {
      if (slowDisk) return;
      walDisk = moveToSmallDisk(join((await findClusterDir(folder)) ?? '', 'pg_wal'));
    };
    const postgres = await (withStandby ? PostgresPair.start(folder) : SinglePostgres.start(folder, moveWal));
    const redis = await (withSentinels ? SentinelRedis.start() : SingleRedis.start(slowDisk !== undefined));
    const toPostgres = await TcpForwarder.start(postgres.port);
    return new SoakStores(folder, postgres, redis, toPostgres, walDisk, slowDisk);
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
const mounted = new Set<SmallDisk | SlowDisk>();
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

export const SLOW_DISK_NEEDS =
  'which needs root, loop devices, mkfs.ext4 and the controller blkio of cgroup v1';
const BLKIO = '/sys/fs/cgroup/blkio';
const PROBES_BEFORE = 50;
export const NO_LIMIT = 0;

/**
 * A disk in a file, for which the kernel can limit the writes in a second. The limit counts for
 * this process and for those that start after the mount. Writes above it wait, as in a disk's own
 * queue.
 */
export class SlowDisk {
  private constructor(
    private readonly folder: string,
    /** The numbers of the device, such as `7:0`. */
    private readonly device: string,
    /** The cgroup that this process was in before. */
    private readonly groupBefore: string,
    private readonly group: string,
    private readonly print: (line: string) => void,
  ) {}

  /**
   * Mounts an empty disk at a folder.
   * @param print shows how slow the disk was
   * @returns undefined, if this machine cannot
   */
  static mount(folder: string, print: (line: string) => void): SlowDisk | undefined {
    const image = `${folder}.disk`;
    try {
      writeFileSync(image, '');
      // The file takes only the space of what is written.
      truncateSync(image, 16 * 1024 ** 3);
      // With a journal, the kernel's own thread writes much of what a process waits for, and no
      // limit applies to it.
      runAsRoot('mkfs.ext4', '-q', '-F', '-O', '^has_journal', image);
      runAsRoot('mount', '-o', 'loop', image, folder);
    } catch {
      return undefined;
    } finally {
      // The mounted disk keeps its file, also without a name.
      rmSync(image, { force: true });
    }
    let disk: SlowDisk | undefined;
    try {
      const [, path] = /^\d+:blkio:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
      const groupBefore = join(BLKIO, path ?? '');
      const group = join(groupBefore, `tow-slow-disk-${process.pid}`);
      disk = new SlowDisk(folder, runAsRoot('mountpoint', '-d', folder), groupBefore, group, print);
      mounted.add(disk);
      mkdirSync(group);
      disk.limit(NO_LIMIT);
      moveToGroup(group, `${process.pid}`);
      return disk;
    } catch {
      if (disk) disk.unmount();
      else runAsRoot('umount', '-l', folder);
      return undefined;
    }
  }

  /**
   * Lets at most some writes in a second through, for some time. Prints how long a flushed write
   * took before and meanwhile. Returns the times of these writes, in ms.
   */
  async slowDown(writesPerSecond: number, ms: number): Promise<{ before: number[]; during: number[] }> {
    const before = await this.timeWrites((times) => times.length >= PROBES_BEFORE);
    let isOver = false;
    this.limit(writesPerSecond);
    const probes = this.timeWrites(() => isOver);
    try {
      await sleep(ms);
    } finally {
      isOver = true;
      this.limit(NO_LIMIT);
    }
    const during = await probes;
    this.print(
      `  fsync took ${renderTimes(before)} before, ${renderTimes(during)} at ${writesPerSecond} writes/s`,
    );
    return { before, during };
  }

  /** Writes and flushes a block again and again. Returns how long each took, in ms. */
  async timeWrites(isDone: (times: number[]) => boolean): Promise<number[]> {
    const file = await open(join(this.folder, '.probe'), 'w');
    const block = Buffer.alloc(8192);
    const times: number[] = [];
    try {
      do {
        const from = performance.now();
        await file.write(block, 0, block.length, 0);
        await file.datasync();
        times.push(performance.now() - from);
      } while (!isDone(times));
    } finally {
      await file.close();
    }
    return times;
  }

  unmount(): void {
    if (!mounted.delete(this)) return;
    runAsRoot('umount', '-l', this.folder);
    if (!existsSync(this.group)) return;
    const pids = readFileSync(join(this.group, 'cgroup.procs'), 'utf8').split('\n');
    for (const pid of pids.filter(Boolean)) moveToGroup(this.groupBefore, pid);
    rmdirSync(this.group);
  }

  /** Lets at most some writes in a second through, or any number with {@link NO_LIMIT}. */
  limit(writesPerSecond: number): void {
    writeFileSync(join(this.group, 'blkio.throttle.write_iops_device'), `${this.device} ${writesPerSecond}`);
  }
}

/** Moves a process to a cgroup. The processes that it starts later are in it too. */
function moveToGroup(group: string, pid: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), pid);
  } catch (error) {
    // ESRCH: the process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs a program that Debian keeps where only root's PATH leads. Returns its first line. */
function runAsRoot(program: string, ...args: string[]): string {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return execFileSync(program, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    .toString()
    .trim();
}

function renderTimes(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms and p99 ${at(0.99)} ms`;
}
