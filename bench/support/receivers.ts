import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ReceiverStats {
  count: number;
  /** Number of different webhook-ids. */
  distinct: number;
  /** Time of the first request, in ms since 1970. */
  first: number;
  last: number;
  checked: number;
  /** Number of wrong signatures. */
  faults: number;
  /** For each request, how many ms after the event's timestamp the request arrived. */
  lagsMs: number[];
}

/** Controls a separate process that runs many webhook receivers, each on its own port. */
export class WebhookReceivers {
  private constructor(private readonly child: ChildProcess) {}

  static start(): WebhookReceivers {
    const child = fork(fileURLToPath(new URL('receiver-server.ts', import.meta.url)), [], {
      execArgv: ['--import', 'tsx'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    return new WebhookReceivers(child);
  }

  private request<Reply>(message: object): Promise<Reply> {
    return new Promise((resolve) => {
      this.child.once('message', (reply) => resolve(reply as Reply));
      this.child.send(message);
    });
  }

  /**
   * Adds a receiver per key and resolves with their URLs. A key is base64, or null if signatures
   * are not checked. In the mode `hang`, receivers never respond.
   */
  async add(keys: (string | null)[], mode: 'answer' | 'hang' = 'answer'): Promise<string[]> {
    const ports = await this.request<number[]>({ type: 'add', keys, mode });
    return ports.map((port) => `http://127.0.0.1:${port}/hook`);
  }

  reset(): Promise<boolean> {
    return this.request({ type: 'reset' });
  }

  stats(): Promise<ReceiverStats> {
    return this.request({ type: 'stats' });
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}
