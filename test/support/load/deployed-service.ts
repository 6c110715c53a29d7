import { PROJECT, type ProcessEnd, type Processes, type TestProcess } from './processes.js';

/** The totals over all faults and loads of a test run. The run prints them at its end. */
export const runTotals = { acknowledged: 0, retried: 0, kills: 0 };

/**
 * Runs one command line of the Procfile (or that of `npm start`) on a fixed port. After its process
 * was killed, the service can start a new process on the same port.
 */
export class DeployedService {
  process: TestProcess | undefined;
  /** The folder of the release that the next start runs. */
  folder = PROJECT;
  /** The address that the process listens on. */
  host = '127.0.0.1';
  /** The words before the command line, such as those that run it on another machine. */
  prefix: string[] = [];

  constructor(
    private readonly processes: Processes,
    private readonly command: string[],
    /** The environment variables of every start. */
    readonly env: Record<string, string>,
    readonly port: number,
  ) {}

  get origin(): string {
    return `http://${this.host}:${this.port}`;
  }

  /**
   * Starts the process without waiting until it is ready.
   * @param settings environment variables for this start only; they override those of the
   * deployment
   */
  launch(settings: Record<string, string> = {}): TestProcess {
    const env = { ...this.env, HOST: this.host, PORT: `${this.port}`, ...settings };
    const command = [...this.prefix, ...this.command];
    this.process = this.processes.start({ command, env, cwd: this.folder });
    return this.process;
  }

  async start(settings: Record<string, string> = {}): Promise<void> {
    await this.launch(settings).waitUntilReady(this.origin);
  }

  async stop(signal: NodeJS.Signals): Promise<ProcessEnd> {
    if (!this.process) throw new Error('not started');
    return this.process.stop(signal);
  }

  /** Ends the process with SIGKILL, which a process cannot handle. */
  async kill(): Promise<void> {
    runTotals.kills += 1;
    await this.stop('SIGKILL');
  }
}
