/** One machine of the cluster: Patroni, and the PostgreSQL that it starts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSpawnOptions, type SystemAccount } from '../../../../bin/embedded-postgres/system-account.js';

/** How a member looks to Patroni, as its REST API lists it at /cluster. */
export interface MemberState {
  name: string;
  role: 'leader' | 'sync_standby' | 'replica';
  state: string;
  timeline?: number;
}

export interface MemberOptions {
  name: string;
  port: number;
  restPort: number;
  dataDir: string;
  configFile: string;
  account: SystemAccount | undefined;
}

export class PatroniMember {
  readonly name: string;
  /** Everything that Patroni and PostgreSQL have written so far. */
  output = '';
  #patroni: ChildProcess | undefined;
  #ended: Promise<unknown> | undefined;

  constructor(readonly options: MemberOptions) {
    this.name = options.name;
  }

  start(): void {
    const { configFile, account } = this.options;
    const child = spawn('patroni', [configFile], {
      ...buildSpawnOptions(account),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    child.once('error', (error) => {
      this.output += String(error);
    });
    this.#patroni = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
  }

  get exitCode(): number | null {
    return this.#patroni?.exitCode ?? null;
  }

  get signalCode(): NodeJS.Signals | null {
    return this.#patroni?.signalCode ?? null;
  }

  /** Sends a signal to Patroni and to every process of PostgreSQL, as if the machine failed. */
  signalMachine(signal: NodeJS.Signals): void {
    const postmaster = this.#findPostmaster();
    // Patroni and the postmaster first, so that neither reacts to the end of the other processes.
    const pids = [this.#patroni?.pid, postmaster, ...(postmaster ? listChildren(postmaster) : [])];
    for (const pid of pids) if (pid !== undefined) sendSignal(pid, signal);
  }

  /** Sends a signal to Patroni alone. Its PostgreSQL runs on. */
  signalPatroni(signal: NodeJS.Signals): void {
    this.#patroni?.kill(signal);
  }

  /** Kills the machine. Its data stays. */
  async kill(): Promise<void> {
    this.signalMachine('SIGKILL');
    await this.#ended;
  }

  /** Sends a request to Patroni's REST API. Returns undefined if there is no response. */
  async callRest(
    path: string,
    init: RequestInit = {},
  ): Promise<{ status: number; text: string } | undefined> {
    const url = `http://127.0.0.1:${this.options.restPort}${path}`;
    const signal = AbortSignal.timeout(init.method === 'POST' ? 60_000 : 1000);
    // The time may also end while the body arrives.
    return fetch(url, { signal, ...init })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined);
  }

  /** Returns the id of the running postmaster. After a kill, another process may have its id. */
  #findPostmaster(): number | undefined {
    const { dataDir } = this.options;
    const pid = readText(join(dataDir, 'postmaster.pid')).split('\n')[0];
    return readText(`/proc/${pid}/cmdline`)
      .split('\0')
      .some((arg) => arg.includes(dataDir))
      ? Number(pid)
      : undefined;
  }
}

/** Returns the text of a file, or '' if it cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Lists the ids of the child processes. */
function listChildren(parent: number): number[] {
  // The program's name stands in parentheses. The fields after it begin with: state, ppid.
  const readParent = (pid: string) => {
    const stat = readText(`/proc/${pid}/stat`);
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readParent(name) === parent)
    .map(Number);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: the process has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
