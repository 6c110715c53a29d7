/** Starts, watches and kills the built product's real processes, and leaves no process behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { endLeftoverProcesses, findErrorCode } from '../../../bin/embedded-postgres/process.js';
import { readState } from '../../../bin/embedded-postgres/state.js';
import { eventually } from '../poll.js';
import { listClusterProcesses } from './embedded-postgres-fixture.js';

export const PROJECT = resolve(import.meta.dirname, '../../..');

/** Environment variables with rate limits so high that no load gets 429. */
export const NO_RATE_LIMITS = {
  RATE_LIMIT_TIERS: JSON.stringify(
    Object.fromEntries(['starter', 'standard', 'premium'].map((tier) => [tier, { minute: 1e8, hour: 1e8 }])),
  ),
};

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  /** Program and arguments. `node` stands for the Node.js that runs the tests. */
  command: string[];
  /** The process's whole environment, apart from PATH. */
  env?: Record<string, string>;
  cwd?: string;
}

/**
 * The ids of the running child processes. If the test run ends early, no hook runs, so the exit
 * handler kills the process groups of these children.
 */
const runningPids = new Set<number>();
process.once('exit', () => killAll([...runningPids].map((pid) => -pid)));

/**
 * One process of the product. The process leads its own session, so the session contains every
 * process that it starts.
 */
export class TestProcess {
  readonly #child: ChildProcess;
  /** Everything that the process has written so far to stdout and stderr. */
  output = '';
  stdout = '';
  /** Set once the process has ended and its output is complete. */
  end: ProcessEnd | undefined;

  constructor({ command, env = {}, cwd = PROJECT }: ProcessOptions) {
    const [program = '', ...args] = command;
    this.#child = spawn(program === 'node' ? process.execPath : program, args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    const { pid } = this.#child;
    if (pid !== undefined) runningPids.add(pid);
    this.#child.once('error', (error) => {
      this.output += String(error);
      this.end ??= { code: null, signal: null };
    });
    this.#child.once('close', (code, signal) => {
      if (pid !== undefined) runningPids.delete(pid);
      this.end ??= { code, signal };
    });
  }

  /** Undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  stop(signal: NodeJS.Signals = 'SIGTERM', timeoutMs = 35_000): Promise<ProcessEnd> {
    this.signal(signal);
    return this.waitForExit(timeoutMs);
  }

  waitForExit(timeoutMs = 35_000): Promise<ProcessEnd> {
    return this.#eventually('ends', () => this.end, timeoutMs);
  }

  /**
   * Waits until the output matches.
   * @throws if the process ends without a match
   */
  waitForOutput(pattern: RegExp, timeoutMs = 30_000): Promise<RegExpExecArray> {
    return this.#eventually(
      `prints ${pattern}`,
      () => {
        const match = pattern.exec(this.output);
        if (!match && this.end) throw new Error(`it ended: ${JSON.stringify(this.end)}`);
        return match ?? undefined;
      },
      timeoutMs,
    );
  }

  /**
   * Waits until /readyz at `origin` responds with 200.
   * @throws if this process ends first
   */
  async waitUntilReady(origin: string, timeoutMs = 60_000): Promise<void> {
    await this.#eventually(
      `is ready at ${origin}`,
      async () => {
        if (this.end) throw new Error(`it ended: ${JSON.stringify(this.end)}`);
        return (await fetchStatus(`${origin}/readyz`)) === 200;
      },
      timeoutMs,
    );
  }

  /**
   * Waits until the probe succeeds. The error of a failed wait contains the end of the process's
   * output.
   */
  #eventually<T>(
    condition: string,
    probe: () => Promise<T | undefined | false> | T | undefined | false,
    timeoutMs: number,
  ): Promise<T> {
    return eventually(`process ${this.#child.pid} ${condition}`, probe, timeoutMs).catch((error: Error) => {
      throw new Error(`${error.message}; it printed:\n${this.output.slice(-4000)}`);
    });
  }
}

/** Sends a GET request. Returns the status, or undefined if there is no response. */
export async function fetchStatus(url: string): Promise<number | undefined> {
  return fetch(url, { signal: AbortSignal.timeout(5000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => undefined,
  );
}

/** Lists the postgres processes of a DATA_DIR's embedded cluster as `<pid> <command line>`. */
export async function listPostgresProcesses(dataDir: string): Promise<string[]> {
  const clusterDir = await findClusterDir(dataDir);
  return clusterDir ? listClusterProcesses(clusterDir) : [];
}

/** Suspends the postgres processes of a DATA_DIR, and resumes them after `ms`. */
export async function suspendPostgres(dataDir: string, ms: number): Promise<void> {
  const pids = (await listPostgresProcesses(dataDir)).map((line) => Number.parseInt(line, 10));
  if (pids.length === 0) throw new Error('there is no PostgreSQL to suspend');
  const signalAll = (signal: NodeJS.Signals) => pids.forEach((pid) => void process.kill(pid, signal));
  signalAll('SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, ms));
  signalAll('SIGCONT');
}

export async function readMemoryMb({
  pid,
}: Pick<TestProcess, 'pid'>): Promise<{ now: number; peak: number }> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

/** Returns the absolute path of a DATA_DIR's embedded cluster; undefined if there is none. */
export async function findClusterDir(dataDir: string): Promise<string | undefined> {
  const state = await readState(dataDir).catch(() => undefined);
  return state && resolve(dataDir, state.cluster);
}

/** Lists the ids of the processes in a session, without zombies. */
async function listSessionMembers(session: number | undefined): Promise<number[]> {
  const pids: number[] = [];
  if (session === undefined) return pids;
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The program's name stands in parentheses. The fields after it are: state, ppid, pgrp,
    // session.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] !== 'Z' && Number(fields[3]) === session) pids.push(Number(name));
  }
  return pids;
}

function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      // ESRCH: the process has ended by itself.
      if (findErrorCode(error) !== 'ESRCH') throw error;
    }
  }
}

export class Processes {
  readonly #started: TestProcess[] = [];
  readonly #folders: string[] = [];
  readonly #dataDirs = new Set<string>();
  #isOver = false;

  start(options: ProcessOptions): TestProcess {
    if (this.#isOver) throw new Error('all processes were ended: do not start another one');
    const started = new TestProcess(options);
    this.#started.push(started);
    const dataDir = options.env?.DATA_DIR;
    if (dataDir) this.#dataDirs.add(resolve(options.cwd ?? PROJECT, dataDir));
    return started;
  }

  async run(options: ProcessOptions): Promise<ProcessEnd & { output: string; stdout: string }> {
    const started = this.start(options);
    const end = await started.waitForExit(60_000);
    return { ...end, output: started.output, stdout: started.stdout };
  }

  /** Creates a temporary folder, for example for a DATA_DIR. {@link endAll} removes the folder. */
  async createFolder(name = 'tow-e2e-'): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), name));
    await chmod(folder, 0o700);
    this.#folders.push(folder);
    return folder;
  }

  /** Creates a DATA_DIR. {@link endAll} ends its PostgreSQL and removes the folder. */
  async createDataDir(): Promise<string> {
    const dataDir = await this.createFolder();
    this.#dataDirs.add(dataDir);
    return dataDir;
  }

  /**
   * Lists the processes that still run: those in the sessions of all started processes, and the
   * embedded PostgreSQL processes of the DATA_DIRs.
   */
  async listSurvivors(): Promise<string[]> {
    const survivors: string[] = [];
    for (const { pid } of this.#started) {
      for (const member of await listSessionMembers(pid))
        survivors.push(`process ${member} of session ${pid}`);
    }
    for (const dataDir of this.#dataDirs) {
      survivors.push(...(await listPostgresProcesses(dataDir)).map((line) => line.slice(0, 60).trim()));
    }
    return survivors;
  }

  /**
   * Kills all processes that still run, asserts that no process is left, and removes the folders.
   * @param stopStores stops the test's own servers; called once no process of the product runs
   */
  async endAll(stopStores?: () => Promise<void> | undefined): Promise<void> {
    this.#isOver = true;
    for (const { pid } of this.#started) killAll(await listSessionMembers(pid));
    await Promise.all(this.#started.map((one) => one.waitForExit()));
    await stopStores?.();
    const clusters = await Promise.all([...this.#dataDirs].map(findClusterDir));
    for (const cluster of clusters) if (cluster) await endLeftoverProcesses(cluster);
    expect(await this.listSurvivors(), 'processes left behind').to.deep.equal([]);
    // If root runs the tests, the clusters are outside the DATA_DIRs and must be removed
    // separately.
    const owners = clusters.map((cluster) => cluster && `${cluster}.owner.pid`);
    for (const path of [...clusters, ...owners, ...this.#folders]) {
      if (path) await rm(path, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}

/**
 * Returns the processes of a `describe` block. A hook ends them after the block, even if a test
 * fails.
 */
export function useProcesses(): Processes {
  const processes = new Processes();
  after(() => processes.endAll());
  return processes;
}

/** Returns the command lines of the Procfile by process type. */
export async function readProcfile(): Promise<Record<string, string[]>> {
  const text = await readFile(join(PROJECT, 'Procfile'), 'utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, type, command] = /^(\w+): (.+)$/.exec(line) ?? [];
      if (!type || !command) throw new Error(`the Procfile has a line without type or command: ${line}`);
      return [type, command.split(' ')];
    }),
  );
}
