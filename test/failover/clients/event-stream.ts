import { setTimeout as sleep } from 'node:timers/promises';
import type { DeployedTenant } from '../../support/load/deployment.js';
import { SseClient, type SseEvent } from '../../support/network/sse-client.js';
import { eventually } from '../../support/poll.js';
import type { ClientCall } from './client-call.js';

const RETRY_MS = 500;
const OPEN_MS = 30 * 60_000;

interface StreamedEvent extends ClientCall {
  id: string;
  invoiceId: string;
}

/** A client of /v1/stream that connects again where it lost its connection. */
export class EventStream {
  /** The events of new invoices. `tries` counts the connections that the client has opened. */
  readonly events: StreamedEvent[] = [];
  #client: SseClient | undefined;
  #connections = 0;
  #isEnding = false;
  #ended: Promise<void> | undefined;

  constructor(
    private readonly origin: string,
    readonly tenant: DeployedTenant,
  ) {}

  /** Resolves once the stream is open, so that it misses no event from then on. */
  async start(): Promise<this> {
    this.#ended = this.#work();
    await eventually('the stream to be open', () => this.#client !== undefined);
    return this;
  }

  /** Waits until `by` more events have arrived. */
  async waitForEvents(by: number, timeoutMs: number): Promise<void> {
    const goal = this.events.length + by;
    await eventually(`${by} more events on a stream`, () => this.events.length >= goal, timeoutMs);
  }

  /** Waits until an event of each invoice has arrived. */
  async waitFor(invoiceIds: string[]): Promise<void> {
    const find = () => {
      const seen = new Set(this.events.map(({ invoiceId }) => invoiceId));
      return invoiceIds.filter((id) => !seen.has(id));
    };
    await eventually('all events on the stream', () => find().length === 0, 60_000).catch((error: Error) => {
      throw new Error(`${error.message}; ${find().length} are missing`);
    });
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#client?.close();
    await this.#ended;
  }

  async #work(): Promise<void> {
    let lastEventId: string | undefined;
    while (!this.#isEnding) {
      const client = await this.#connect(lastEventId).catch(() => undefined);
      // A stop during the connect found nothing to close.
      if (client?.status === 200 && !this.#isEnding) {
        this.#client = client;
        await client.waitForEnd(OPEN_MS);
        lastEventId = client.lastEventId ?? lastEventId;
      } else client?.close();
      if (!this.#isEnding) await sleep(RETRY_MS);
    }
  }

  #connect(lastEventId: string | undefined): Promise<SseClient> {
    this.#connections += 1;
    const tries = this.#connections;
    return SseClient.connect(this.origin, this.tenant.key, {
      lastEventId,
      onEvent: ({ id, type, body }: SseEvent) => {
        if (type !== 'invoice.created') return;
        this.events.push({ id, invoiceId: body.data.object.id, tries, succeededAt: Date.now() });
      },
    });
  }
}
