/**
 * Finds, checks and stops processes by their pid. Most of them are not children of this process.
 * Examples are the owner of a DATA_DIR, a server whose owner was killed, and server processes
 * without a postmaster.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const POLL_MS = 25;
/**
 * Matches the program path of a postmaster or initdb, or the title that other server processes set,
 * such as `postgres: checkpointer `.
 */
const SERVER_PROGRAM = /^(?:.*\/)?(?:postgres|initdb)$|^postgres:/;

/** A signal to send, and how long to wait for the process to end. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

/** PostgreSQL's shutdown modes: fast, then immediate, then SIGKILL. */
export const FAST_SHUTDOWN: readonly StopStep[] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * The steps to end server processes without a postmaster. Such processes cannot shut down cleanly,
 * but crash recovery repairs the data at the next start.
 */
const LEFTOVER_SHUTDOWN: readonly StopStep[] = [
  ['SIGQUIT', 2_000],
  ['SIGKILL', 5_000],
];

/** Returns the error code (`ENOENT`, `28P01`, …) of a Node or PostgreSQL error. */
export function findErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Resolves with undefined if the process or file does not exist, or if access is denied. */
async function undefinedIfGone<T>(task: Promise<T>): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(findErrorCode(error) ?? ''))
      return undefined;
    throw error;
  }
}

/**
 * Reads a process's state letter, and its start time in ticks since boot (proc(5)). Resolves with
 * undefined outside Linux, or if the process has ended.
 */
async function readProcStat(pid: number): Promise<{ state: string; ticks: string } | undefined> {
  const text = await undefinedIfGone(readFile(`/proc/${pid}/stat`, 'utf8'));
  if (text === undefined) return undefined;
  // The program name (field 2) may contain spaces and parentheses, so fields are counted after its
  // last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', ticks: fields[19] ?? '' };
}

/**
 * Sends a signal and returns true, or returns false if the process does not exist. Signal 0 sends
 * nothing: it only checks whether the process exists.
 * @throws EPERM if this process may not send the signal; with signal 0, returns true instead
 */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (findErrorCode(error) === 'ESRCH') return false;
    if (findErrorCode(error) === 'EPERM' && signal === 0) return true;
    throw error;
  }
}

/**
 * True if the process runs. A zombie (ended, but not yet collected by its parent) counts as ended.
 */
export async function isAlive(pid: number): Promise<boolean> {
  if (!signalProcess(pid, 0)) return false;
  const stat = await readProcStat(pid);
  return stat === undefined || !['Z', 'X'].includes(stat.state);
}

/**
 * Returns a text that distinguishes two processes with the same pid: boot id and start time in
 * ticks. Returns '' outside Linux, or if the process has ended.
 */
export async function readProcessStartId(pid: number): Promise<string> {
  const stat = await readProcStat(pid);
  const boot = await undefinedIfGone(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  return stat ? `${boot?.trim() ?? ''}:${stat.ticks}` : '';
}

/**
 * Returns the arguments of a process, its program first, or [] if the process is unknown. Outside
 * Linux, the only element is the whole command line.
 */
export async function readCommandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    const text = await undefinedIfGone(readFile(`/proc/${pid}/cmdline`, 'utf8'));
    return text ? text.split('\0') : [];
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return [stdout.trim()];
  } catch (error) {
    // If the process does not exist, ps exits with 1, and `code` is that number. If ps is missing,
    // `code` is the text ENOENT, which is a real failure.
    if (findErrorCode(error) === undefined) return [];
    throw error;
  }
}

/**
 * Returns the `cluster_name` of a cluster. Every server process shows this name in its command
 * line, which all users can read. The working folder of a process would not help: in a container
 * without CAP_SYS_PTRACE, even root cannot read that of another account's process.
 * @param clusterDir an absolute path without symbolic links
 */
export function buildClusterName(clusterDir: string): string {
  return `tow-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 16)}`;
}

/**
 * True if the process is a PostgreSQL program that uses this cluster folder. It need not be a
 * postmaster.
 */
export async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  const args = await readCommandLine(pid);
  const [program = ''] = args;
  if (program.startsWith(`postgres: ${buildClusterName(clusterDir)}: `)) return true;
  if (process.platform !== 'linux')
    return /postgres|initdb/.test(program) && program.includes(` ${clusterDir} `);
  if (!SERVER_PROGRAM.test(program)) return false;
  return args.includes(clusterDir) || (await undefinedIfGone(readlink(`/proc/${pid}/cwd`))) === clusterDir;
}

async function listOtherPids(): Promise<number[]> {
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
 * Sends the signal of each step in turn until the process has ended.
 * @throws if the process still runs after the last step
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
 * Ends every PostgreSQL process that uses a cluster folder, and returns how many. Call it only when
 * the postmaster has ended. A busy server process may outlive its postmaster. While such a process
 * uses the cluster's shared memory, a new server refuses to start.
 */
export async function endLeftoverProcesses(clusterDir: string): Promise<number> {
  const leftovers: number[] = [];
  for (const pid of await listOtherPids()) {
    if (await isServerOf(pid, clusterDir)) leftovers.push(pid);
  }
  await Promise.all(leftovers.map((pid) => stopProcess(pid, LEFTOVER_SHUTDOWN)));
  return leftovers.length;
}
