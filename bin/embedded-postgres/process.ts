/**
 * Handles processes that are not, or no longer, children of this process: the owner of a DATA_DIR,
 * a database server whose owner was killed, and server processes that outlived their postmaster.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const POLL_MS = 25;
/**
 * Server processes besides postmaster and initdb change their names, as in
 * `postgres: checkpointer `.
 */
const SERVER_PROGRAM = /^(?:.*\/)?(?:postgres|initdb)$|^postgres:/;

/** The signal to send, and how long to wait for the process to end. */
export type StopStep = readonly [signal: NodeJS.Signals, waitMs: number];

/** PostgreSQL's shutdown modes: fast, then immediate, then SIGKILL. */
export const FAST_SHUTDOWN: readonly StopStep[] = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/** Processes without a postmaster cannot shut down cleanly. Crash recovery repairs their work. */
const LEFTOVER_SHUTDOWN: readonly StopStep[] = [
  ['SIGQUIT', 2_000],
  ['SIGKILL', 5_000],
];

/** The error code (`ENOENT`, `28P01`, …) of a Node or PostgreSQL error. */
export function findErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Resolves with undefined if the process or file does not exist or is not accessible. */
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
 * Reads the state letter and the start time in ticks since boot (proc(5)). Undefined outside Linux.
 */
async function readProcStat(pid: number): Promise<{ state: string; ticks: string } | undefined> {
  const text = await undefinedIfGone(readFile(`/proc/${pid}/stat`, 'utf8'));
  if (text === undefined) return undefined;
  // The program name (field 2) may contain spaces and parentheses: count from the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', ticks: fields[19] ?? '' };
}

/**
 * Signal 0 only checks that the process exists. Returns false if the process does not exist.
 * @throws if this process may not signal it (EPERM). For signal 0, EPERM means that it exists
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

/** A zombie (ended, but not yet collected by its parent) counts as ended. */
export async function isAlive(pid: number): Promise<boolean> {
  if (!signalProcess(pid, 0)) return false;
  const stat = await readProcStat(pid);
  return stat === undefined || !['Z', 'X'].includes(stat.state);
}

/** Boot id and start tick distinguish two processes with the same pid; '' outside Linux. */
export async function readProcessStartId(pid: number): Promise<string> {
  const stat = await readProcStat(pid);
  const boot = await undefinedIfGone(readFile('/proc/sys/kernel/random/boot_id', 'utf8'));
  return stat ? `${boot?.trim() ?? ''}:${stat.ticks}` : '';
}

/** Without /proc, the only element is the whole command line. Empty if unknown. */
export async function readCommandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    const text = await undefinedIfGone(readFile(`/proc/${pid}/cmdline`, 'utf8'));
    return text ? text.split('\0') : [];
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return [stdout.trim()];
  } catch (error) {
    // ps exits with 1 if the process does not exist. A missing ps ('ENOENT') is a real failure.
    if (findErrorCode(error) === undefined) return [];
    throw error;
  }
}

/**
 * The `cluster_name` shows in the command line of every server process, which all users can read.
 * The working folder would not do: in a container without CAP_SYS_PTRACE even root cannot read it.
 * @param clusterDir an absolute path without symbolic links
 */
export function buildClusterName(clusterDir: string): string {
  return `tow-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 16)}`;
}

/** Any PostgreSQL program that uses this cluster folder counts, postmaster or not. */
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

/** @throws if the process still runs after the last step */
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
 * Ends every PostgreSQL process that still uses a cluster folder without a postmaster, and returns
 * their number. These processes hold the cluster's shared memory, so a new server refuses to start.
 * A process that is computing would otherwise continue until it finishes.
 */
export async function endLeftoverProcesses(clusterDir: string): Promise<number> {
  const leftovers: number[] = [];
  for (const pid of await listOtherPids()) {
    if (await isServerOf(pid, clusterDir)) leftovers.push(pid);
  }
  await Promise.all(leftovers.map((pid) => stopProcess(pid, LEFTOVER_SHUTDOWN)));
  return leftovers.length;
}
