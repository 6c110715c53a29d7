/**
 * Questions about and signals to processes that are not (or no longer) our children: the owner of a DATA_DIR,
 * a database server whose owner was killed, server processes that outlived their postmaster.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const POLL_MS = 25;
/** Postmaster and initdb by program name; server processes rewrite theirs to `postgres: checkpointer ` etc. */
const SERVER_PROGRAM = /^(?:.*\/)?(?:postgres|initdb)$|^postgres:/;

/** One step of an escalating stop: the signal to send and how long, in milliseconds, to wait for the end. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

/** PostgreSQL's shutdown modes (manual, "Shutting Down the Server"): fast, then immediate, then by force. */
export const FAST_SHUTDOWN: readonly StopStep[] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/** For processes without a postmaster: they can only be abandoned, crash recovery repairs what they were doing. */
const ABANDON: readonly StopStep[] = [
  ['SIGQUIT', 2_000],
  ['SIGKILL', 5_000],
];

/** The error code (`ENOENT`, `28P01`, …) of a Node or PostgreSQL error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Result of `task`, or undefined when it fails because the thing asked about is gone or hidden from us. */
async function unlessGone<T>(task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** State letter and start time in clock ticks since boot (proc(5), fields 3 and 22); undefined off Linux. */
async function procStat(pid: number): Promise<{ state: string; ticks: string } | undefined> {
  const text = await unlessGone(readFile(`/proc/${pid}/stat`, 'utf8'));
  if (text === undefined) return undefined;
  // The program name (field 2) may hold spaces and brackets, so count from its closing bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', ticks: fields[19] ?? '' };
}

/**
 * Sends a signal; 0 only asks. Returns false when the process no longer exists.
 * @throws when the process may not be signalled (EPERM), except for signal 0, which then means "exists".
 */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) === 'EPERM' && signal === 0) return true;
    throw error;
  }
}

/** Whether the process runs. A zombie (ended, but not collected by its parent) counts as ended. */
export async function isAlive(pid: number): Promise<boolean> {
  if (!signalProcess(pid, 0)) return false;
  const stat = await procStat(pid);
  return stat === undefined || !['Z', 'X'].includes(stat.state);
}

/** A text that differs between two processes that had the same pid (boot and start tick); '' off Linux. */
export async function processBirth(pid: number): Promise<string> {
  const stat = await procStat(pid);
  const boot = await unlessGone(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  return stat ? `${boot?.trim() ?? ''}:${stat.ticks}` : '';
}

/** Arguments of a process; where there is no /proc the whole command line as one text; empty when not known. */
export async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    const text = await unlessGone(readFile(`/proc/${pid}/cmdline`, 'utf8'));
    return text ? text.split('\0') : [];
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return [stdout.trim()];
  } catch (error) {
    // ps ends with 1 when there is no such process; a missing ps ('ENOENT') is a real failure.
    if (errorCode(error) === undefined) return [];
    throw error;
  }
}

/**
 * The setting `cluster_name` of our server on a cluster folder (absolute, without symbolic links). It stands in the
 * command line of every server process (manual, "cluster_name"), which anyone may read; their working folder is
 * hidden even from root in a container without CAP_SYS_PTRACE.
 */
export function clusterName(clusterDir: string): string {
  return `tow-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 16)}`;
}

/** Whether the process is a PostgreSQL program working on this cluster folder, postmaster or not. */
export async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  const args = await commandLine(pid);
  const [program = ''] = args;
  if (program.startsWith(`postgres: ${clusterName(clusterDir)}: `)) return true;
  if (process.platform !== 'linux')
    return /postgres|initdb/.test(program) && program.includes(` ${clusterDir} `);
  if (!SERVER_PROGRAM.test(program)) return false;
  return args.includes(clusterDir) || (await unlessGone(readlink(`/proc/${pid}/cwd`))) === clusterDir;
}

/** Ids of all processes we can see, without our own. */
async function otherProcesses(): Promise<number[]> {
  const names =
    process.platform === 'linux'
      ? await readdir('/proc')
      : (await promisify(execFile)('ps', ['-axo', 'pid='])).stdout.split(/\s+/);
  return names
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/**
 * Sends the signals in order, each followed by its wait, until the process has ended.
 * @throws when it still runs after the last step.
 */
export async function stopProcess(pid: number, steps: readonly StopStep[]): Promise<void> {
  for (const [signal, waitMs] of steps) {
    if (!signalProcess(pid, signal)) return;
    const deadline = Date.now() + waitMs;
    do {
      if (!(await isAlive(pid))) return;
      await sleep(POLL_MS);
    } while (Date.now() < deadline);
  }
  throw new Error(`process ${pid} does not end, not even by ${steps.at(-1)?.[0]}`);
}

/**
 * Ends every PostgreSQL process that still works on a cluster folder without a postmaster: they hold its shared
 * memory, and a new server refuses to start beside them. One that computes would go on for as long as that takes.
 * Returns how many there were.
 */
export async function endLeftoverProcesses(clusterDir: string): Promise<number> {
  const leftovers: number[] = [];
  for (const pid of await otherProcesses()) {
    if (await isServerOf(pid, clusterDir)) leftovers.push(pid);
  }
  await Promise.all(leftovers.map((pid) => stopProcess(pid, ABANDON)));
  return leftovers.length;
}
