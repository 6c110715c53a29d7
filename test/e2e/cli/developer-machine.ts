/**
 * Helps to test `tow` on a developer's machine: a receiver that can be unreachable or slow, and
 * `tow` as separate processes.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Json } from '../../support/client.js';
import { Processes, type TestProcess } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import { getFreePort } from '../../support/stores.js';

export interface ReceivedDelivery {
  id: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export class LocalReceiver {
  readonly deliveries: ReceivedDelivery[] = [];
  /** Chooses the status of each response, perhaps after a wait. */
  chooseStatus: (delivered: ReceivedDelivery) => Promise<number> | number = () => 204;
  private server: Server | undefined;

  private constructor(private readonly port: number) {}

  static async create(): Promise<LocalReceiver> {
    return new LocalReceiver(await getFreePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  get ids(): string[] {
    return this.deliveries.map(({ id }) => id);
  }

  async start(): Promise<this> {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { headers } = request;
      const delivered = {
        id: String(headers['webhook-id']),
        headers,
        body: Buffer.concat(chunks).toString(),
      };
      this.deliveries.push(delivered);
      response.statusCode = await this.chooseStatus(delivered);
      response.end();
    });
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  async waitForDeliveries(count: number): Promise<ReceivedDelivery[]> {
    return eventually(`${count} deliveries`, () => this.deliveries.length >= count && this.deliveries);
  }
}

/** One developer's machine: a DATA_DIR, a receiver, and `tow` as processes. */
export class DeveloperMachine {
  private constructor(
    private readonly processes: Processes,
    readonly receiver: LocalReceiver,
    readonly dataDir: string,
    private readonly settings: Record<string, string>,
  ) {}

  /** @param settings environment variables of every `tow` process, besides DATA_DIR */
  static async run(
    settings: Record<string, string>,
    work: (machine: DeveloperMachine) => Promise<void>,
  ): Promise<void> {
    const processes = new Processes();
    const machine = new DeveloperMachine(
      processes,
      await LocalReceiver.create(),
      await processes.createFolder(),
      settings,
    );
    try {
      await work(machine);
    } finally {
      machine.receiver.stop();
      await processes.endAll();
    }
  }

  startTow(...args: string[]): TestProcess {
    const env = { DATA_DIR: this.dataDir, ...this.settings };
    return this.processes.start({ command: ['node', 'dist/bin/tow.js', ...args], env });
  }

  async startListener(...args: string[]): Promise<TestProcess> {
    const listener = this.startTow('listen', '--forward-to', this.receiver.url, ...args);
    await listener.waitForOutput(/Signing secret/);
    return listener;
  }

  /**
   * Runs a command with --json until it ends. Resolves with its exit code and its only JSON
   * document.
   */
  async runJson(...args: string[]): Promise<{ code: number | null; out: Json }> {
    const run = this.startTow(...args, '--json');
    const { code } = await run.waitForExit();
    return { code, out: JSON.parse(run.stdout) };
  }
}
