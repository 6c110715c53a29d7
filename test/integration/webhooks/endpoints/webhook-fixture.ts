/**
 * Creates webhook endpoints whose receiver checks every request, and reads their delivery log
 * through the API.
 */
import { expect } from 'chai';
import { NEEDED_SCHEMA } from '../../../../migrations/needed-schema.js';
import { getIdTimeMs } from '../../../../shared/platform/id-times.js';
import {
  createFoundation,
  createRuntime,
  type Runtime,
} from '../../../../shared/platform/process/runtime.js';
import { openWebhooksQueue, wakeEndpointQueues } from '../../../../shared/queues/webhooks.js';
import { startWebhooksWorker } from '../../../../workers/webhooks/index.js';
import type { Json, TestClient } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { invoiceInput } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';
import { useShared, useStack } from '../../../support/use-stack.js';
import {
  type Responder,
  type StrictEndpoint,
  StrictReceiver,
} from '../../../support/webhooks/strict-receiver.js';

export interface Hook {
  id: string;
  tenantId: string;
  client: TestClient;
  receiver: StrictEndpoint;
}

export interface HookOptions {
  respond?: Responder;
  /** Further members of the request body for POST /webhook-endpoints. */
  [field: string]: unknown;
}

/**
 * Provides a stack and a receiver that all files with an equal `environment` share. The workers
 * belong to the current describe block.
 * @param workers number of webhook workers; with 0 the test itself starts workers
 */
export function useWebhookBench(environment: Record<string, string> = {}, workers = 1): WebhookBench {
  const stack = useStack({ environment, clock: true }, 'webhook deliveries');
  const receiver = useShared('strict receiver', StrictReceiver.start, (running) => running.stop());
  const bench = new WebhookBench(stack, receiver);
  before(async () => {
    for (let nth = 0; nth < workers; nth += 1) await bench.startWorker();
  });
  after(() => bench.stop());
  return bench;
}

export class WebhookBench {
  private readonly workers: Runtime[] = [];
  private queue: ReturnType<typeof openWebhooksQueue> | undefined;

  constructor(
    readonly stack: TestStack,
    readonly receiver: StrictReceiver,
  ) {}

  async startWorker(environment: Partial<Runtime['config']> = {}): Promise<Runtime> {
    const { config, databaseUrl } = this.stack.runtime;
    const runtime = createRuntime(createFoundation({ ...config, ...environment }, 'test-webhooks'), {
      name: 'test-webhooks',
      databaseUrl,
      neededSchema: NEEDED_SCHEMA,
    });
    await startWebhooksWorker(runtime);
    this.workers.push(runtime);
    return runtime;
  }

  /** Stops the workers, and asserts that every received request was valid. */
  async stop(): Promise<void> {
    const closed = await Promise.all(this.workers.map(({ lifecycle }) => lifecycle.close(10_000)));
    expect(closed, 'every worker closes in time').to.not.include(false);
    expect(this.receiver.problems).to.deep.equal([]);
  }

  /** Creates an endpoint for the given tenant, by default for a new tenant. */
  async createHook(options: HookOptions = {}, owner?: TestTenant, client?: TestClient): Promise<Hook> {
    const { respond, ...fields } = options;
    const tenant = owner ?? (await this.stack.createTenant());
    const caller = client ?? tenant.client;
    const receiver = this.receiver.add(respond ? { respond } : {});
    const response = await caller.post('/webhook-endpoints', {
      url: receiver.url,
      event_types: ['invoice.*'],
      ...fields,
    });
    expect(response.status, response.text).to.equal(201);
    const { id, secret, public_keys: publicKeys } = response.body;
    receiver.secrets = [secret];
    receiver.publicKeys = publicKeys;
    const tenantId = caller === tenant.sandbox ? tenant.sandboxId : tenant.id;
    return { id, tenantId, client: caller, receiver };
  }

  async patchEndpoint({ client, id }: Hook, body: unknown): Promise<void> {
    const response = await client.patch(`/webhook-endpoints/${id}`, body);
    expect(response.status, response.text).to.equal(200);
  }

  async rotateSecret({ client, id, receiver }: Hook, overlapHours: number): Promise<string> {
    const old = receiver.secrets;
    const response = await client.post(`/webhook-endpoints/${id}/rotate-secret`, {
      overlap_hours: overlapHours,
    });
    expect(response.status, response.text).to.equal(200);
    const { secret, public_keys: publicKeys } = response.body;
    receiver.secrets = overlapHours > 0 ? [secret, ...old] : [secret];
    receiver.publicKeys = publicKeys;
    return secret;
  }

  /** Creates an invoice, and returns the id of the event invoice.created. */
  async createEvent(client: TestClient): Promise<string> {
    const response = await client.post('/invoices', invoiceInput());
    expect(response.status, response.text).to.equal(201);
    return this.findEventId(client, response.body.id);
  }

  async createEvents(client: TestClient, count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => this.createEvent(client)));
  }

  private async findEventId(client: TestClient, invoiceId: string): Promise<string> {
    const { body } = await client.get('/events?type=invoice.created&limit=200');
    return body.data.items.find((one: Json) => one.data.object.id === invoiceId).id;
  }

  /** Lists the endpoint's deliveries, newest first. */
  async listDeliveries({ client, id }: Hook, query = ''): Promise<Json[]> {
    const { body } = await client.get(`/webhook-deliveries?endpoint_id=${id}&limit=200${query}`);
    // The filters `since` and `until` compare the times in ids, so each id's time must equal its
    // delivery's creation time.
    for (const one of body.data.items) expect(Date.parse(one.created_at)).to.equal(getIdTimeMs(one.id));
    return body.data.items;
  }

  /**
   * Waits until the endpoint has at least `count` deliveries and all its deliveries have the
   * status. Returns the deliveries.
   */
  waitForStatus(createHook: Hook, status: string, count: number, timeoutMs?: number): Promise<Json[]> {
    return eventually(
      `${count} deliveries to be ${status}`,
      async () => {
        const found = await this.listDeliveries(createHook);
        return found.length >= count && found.every((one) => one.status === status) && found;
      },
      timeoutMs,
    );
  }

  /** Lists the delivery's attempts, oldest first. */
  async listAttempts({ client }: Hook, deliveryId: string): Promise<Json[]> {
    const { body } = await client.get(`/webhook-deliveries/${deliveryId}/attempts`);
    return body.data.items.reverse();
  }

  async readEndpointQueue({ tenantId, id }: Hook): Promise<Json> {
    const text = 'select * from webhook_lanes where tenant_id = $1 and endpoint_id = $2';
    return (await this.stack.rows(tenantId, text, [tenantId, id]))[0];
  }

  /**
   * Makes waiting deliveries due now. A worker that already has the lease still keeps to the pauses
   * in its memory.
   */
  async makeDue(createHook: Hook): Promise<void> {
    const values = [createHook.tenantId, createHook.id];
    await this.stack.rows(
      createHook.tenantId,
      `update webhook_deliveries set next_attempt_at = now() where tenant_id = $1 and endpoint_id = $2 and next_attempt_at is not null`,
      values,
    );
    await this.wakeEndpointQueue(createHook);
  }

  wakeEndpointQueue({ tenantId, id: endpointId }: Hook): Promise<void> {
    this.queue ??= openWebhooksQueue(this.stack.runtime);
    return wakeEndpointQueues(this.queue, [{ tenantId, endpointId }]);
  }

  waitForRelease(createHook: Hook): Promise<Json> {
    return eventually('the lease of the endpoint queue to be released', async () => {
      const queueRow = await this.readEndpointQueue(createHook);
      return queueRow.owner === null && queueRow;
    });
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Returns a responder that holds back every response until the test calls `release`, so that the
 * machine's speed makes no difference.
 */
export function holdResponses(reply: Awaited<ReturnType<Responder>> = {}): {
  respond: Responder;
  release: () => void;
} {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { respond: () => released.then(() => reply), release };
}

/**
 * Returns a responder that counts requests by `webhook-id`. The nth request with an id gets the nth
 * reply, and later requests get the last reply.
 */
export function respondInSequence(...replies: Awaited<ReturnType<Responder>>[]): Responder {
  return (_request, nth) => replies[Math.min(nth, replies.length) - 1] ?? {};
}
