import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ReceiverStats {
  count: number;
  /** Different webhook-ids. */
  distinct: number;
  /** Times of the first and last request, in ms since 1970. */
  first: number;
  last: number;
  checked: number;
  faults: number;
  /** From the event's own timestamp to its receipt, for each request. */
  lagsMs: number[];
}

/** Many receivers, each on a port of its own, in one process of their own. */
export class Receivers {
  private constructor(private readonly child: ChildProcess) {}

  static start(): Receivers {
    const child = fork(fileURLToPath(new URL('receiver-server.ts', import.meta.url)), [], {
      execArgv: ['--import', 'tsx'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    return new Receivers(child);
  }

  private ask<Answer>(message: object): Promise<Answer> {
    return new Promise((resolve) => {
      this.child.once('message', (answer) => resolve(answer as Answer));
      this.child.send(message);
    });
  }

  /** One receiver for each key (base64; null: signatures are not looked at). Resolves with their URLs. */
  async add(keys: (string | null)[], mode: 'answer' | 'hang' = 'answer'): Promise<string[]> {
    const ports = await this.ask<number[]>({ type: 'add', keys, mode });
    return ports.map((port) => `http://127.0.0.1:${port}/hook`);
  }

  reset(): Promise<boolean> {
    return this.ask({ type: 'reset' });
  }

  stats(): Promise<ReceiverStats> {
    return this.ask({ type: 'stats' });
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}
