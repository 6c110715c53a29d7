/** Starts the programs of Redis: redis-server, redis-sentinel and redis-cli. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface RedisServer {
  port: number;
  process: ChildProcess;
}

/** Stores nothing on disk and listens on this machine only. */
const SERVER_ARGS = ['--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()];
const START_ATTEMPTS = 100;

/** If the test run ends early, no hook runs, so the exit handler kills these programs. */
const running = new Set<ChildProcess>();
let areDetached = false;
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Keeps the terminal's Ctrl+C from the programs that start later. Only for a process that handles
 * SIGINT and ends by `process.exit`, because these programs end with its exit handler.
 */
export function detachPrograms(): void {
  areDetached = true;
}

/**
 * Returns why tests that need these programs cannot run; undefined if they can. In CI they run, and
 * fail without the programs.
 */
export function findMissingProgram(...programs: string[]): string | undefined {
  const missing = programs.find((program) => !hasProgram(program));
  return missing && process.env.CI !== 'true' ? `there is no ${missing} on PATH` : undefined;
}

export function hasProgram(program: string): boolean {
  // Debian keeps some programs where only root's PATH leads.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  // `openssl` knows no option --version, so its status does not count.
  return spawnSync(program, ['--version'], { env }).error === undefined;
}

interface ServerOptions {
  port: number;
  args: string[];
  /** Arguments for redis-cli, such as a password. */
  cli?: string[];
  /** What the started program replies to PING. Default: PONG */
  ready?: 'PONG' | 'LOADING';
}

/** Starts a redis-server, and waits until it responds. */
export function startRedisServer({ args, ...options }: ServerOptions): Promise<RedisServer> {
  return startProgram('redis-server', { ...options, args: [...SERVER_ARGS, ...args] });
}

/** Starts a program that answers PING on its port, and waits until it responds. */
export async function startProgram(
  program: string,
  { port, args, cli = [], ready = 'PONG' }: ServerOptions,
): Promise<RedisServer> {
  const child = spawn(program, args, { stdio: 'ignore', detached: areDetached });
  running.add(child);
  child.once('exit', () => running.delete(child));
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    if ((await runRedisCli([...cli, '-p', `${port}`, 'ping'])).startsWith(ready)) break;
    await sleep(50);
  }
  return { port, process: child };
}

/** Resolves with what redis-cli prints, or with the reason if it fails. */
export async function runRedisCli(args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('redis-cli', ['--no-auth-warning', ...args]).catch(
    (error: unknown) => ({ stdout: String(error) }),
  );
  return stdout.trim();
}

/** Returns how many clients wait in a blocking command, as workers without a job do. */
export async function countWaiting(cli: string[]): Promise<number> {
  const [, count] = /blocked_clients:(\d+)/.exec(await runRedisCli([...cli, 'info', 'clients'])) ?? [];
  return Number(count);
}

/** Ends a server with SIGKILL, and waits for its end. */
export async function killServer({ process }: RedisServer): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const end = once(process, 'exit');
  process.kill('SIGKILL');
  await end;
}
