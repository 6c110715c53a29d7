import { expect } from 'chai';
import { openWebhooksQueue } from '../../../shared/queues/webhooks.js';
import { createReplayRunner } from '../../../workers/webhooks/run-replays.js';
import { eventually } from '../poll.js';
import type { TestStack, TestTenant } from '../stack.js';
import { insertEndpoint, type TenantRows } from './webhook-rows.js';

const HOUR_MS = 3_600_000;

export const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();

/** A delivery that a replay created, as it is stored. */
export interface ReplayedDelivery {
  id: string;
  endpoint_id: string;
  event_id: string;
  trigger: string;
  replay_of: string | null;
  priority: number;
  status: string;
}

/**
 * Runs replays on two clocks besides the stack's own clock. All these clocks together must create
 * each delivery only once.
 */
export class ReplayClocks {
  private readonly clocks: (() => Promise<unknown>)[];

  constructor(readonly stack: TestStack) {
    const queue = openWebhooksQueue(stack.runtime);
    this.clocks = [createReplayRunner(stack.runtime, queue), createReplayRunner(stack.runtime, queue)];
  }

  async createAccount(settings: Parameters<typeof insertEndpoint>[1] = {}): Promise<ReplayAccount> {
    const tenant = await this.stack.createTenant();
    const tenantRows = { stack: this.stack, tenantId: tenant.id };
    return new ReplayAccount(this, {
      tenant,
      tenantRows,
      endpoint: await insertEndpoint(tenantRows, settings),
    });
  }

  /** Runs the two clocks concurrently, again and again, until `isTrue` returns true. */
  async runUntil(condition: string, isTrue: () => Promise<boolean>): Promise<void> {
    await eventually(condition, async () => {
      await Promise.all(this.clocks.map((clock) => clock()));
      return isTrue();
    });
  }
}

export class ReplayAccount {
  readonly tenant: TestTenant;
  readonly tenantRows: TenantRows;
  readonly endpoint: string;

  constructor(
    private readonly clocks: ReplayClocks,
    account: { tenant: TestTenant; tenantRows: TenantRows; endpoint: string },
  ) {
    this.tenant = account.tenant;
    this.tenantRows = account.tenantRows;
    this.endpoint = account.endpoint;
  }

  async start(path: string, body: object): Promise<Record<string, unknown> & { id: string }> {
    const response = await this.tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    expect(response.headers.location).to.equal(`/v1/webhook-replays/${response.body.id}`);
    return response.body;
  }

  recover(): Promise<Record<string, unknown> & { id: string }> {
    return this.start(`/webhook-endpoints/${this.endpoint}/recover`, { since: hoursAgo(2) });
  }

  async read(replayId: string): Promise<Record<string, unknown>> {
    return (await this.tenant.client.get(`/webhook-replays/${replayId}`)).body;
  }

  /** Lists the deliveries that a replay has created so far, sorted by event id. */
  listDeliveries(replayId: string): Promise<ReplayedDelivery[]> {
    return this.clocks.stack.rows<ReplayedDelivery>(
      this.tenant.id,
      `select id, endpoint_id, event_id, trigger, replay_of, priority, status from webhook_deliveries
       where tenant_id = $1 and replay_id = $2 order by event_id`,
      [this.tenant.id, replayId],
    );
  }

  /**
   * Runs the clocks until a replay has ended, and returns the deliveries that the replay created.
   */
  async finish(replayId: string): Promise<ReplayedDelivery[]> {
    const isOver = async () => (await this.read(replayId)).status !== 'running';
    await this.clocks.runUntil('the replay ends', isOver);
    return this.listDeliveries(replayId);
  }

  runUntilMade(replayId: string, count: number): Promise<void> {
    const isTrue = async () => (await this.listDeliveries(replayId)).length >= count;
    return this.clocks.runUntil(`${count} deliveries are made`, isTrue);
  }

  /**
   * Sets the status of up to `limit` waiting deliveries, as the workers would when the deliveries
   * end. Starts with the oldest events.
   */
  async completeDeliveries(status: 'succeeded' | 'exhausted', limit = 1_000_000): Promise<void> {
    await this.clocks.stack.rows(
      this.tenant.id,
      `update webhook_deliveries set status = $2, next_attempt_at = null, completed_at = now() where tenant_id = $1 and id in (
         select id from webhook_deliveries where tenant_id = $1 and next_attempt_at is not null order by event_id limit $3)`,
      [this.tenant.id, status, limit],
    );
  }
}
