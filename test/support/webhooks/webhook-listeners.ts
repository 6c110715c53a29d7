/**
 * Adds endpoints that receive the events of a load's invoices, and asserts after the load that all
 * events arrived.
 */
import { expect } from 'chai';
import { generateSecret } from '../../../shared/resources/webhook-endpoints/secret.js';
import { type DeployedTenant, type Deployment, SECRET_KEY } from '../load/deployment.js';
import type { Load } from '../load/load.js';
import { eventually } from '../poll.js';
import type { Responder, StrictEndpoint, StrictReceiver } from './strict-receiver.js';
import { insertSignedEndpoint } from './webhooks.js';

/**
 * The longest wait for the backlog after a fault. The product delivers it without help from a
 * person, even if a stalled receiver opened a circuit breaker for 36 seconds. The run prints the
 * slowest recovery at its end.
 */
const RECOVERY_MS = 120_000;
/**
 * The time to wait after a worker's death. Within this time, the receiver reads all bytes that the
 * worker had sent.
 */
const SOCKET_READ_MS = 300;

/** The totals over all scenarios of a test run. The run prints them at its end. */
export const deliveryTotals = {
  requests: 0,
  repeated: 0,
  repeatable: 0,
  slowestRecoveryMs: 0,
  worstRetryMs: 0,
};

export interface WebhookListener {
  tenant: DeployedTenant;
  id: string;
  endpoint: StrictEndpoint;
  /**
   * The number of calls that the load had begun when the listener was added. Events of these calls
   * need not reach the listener.
   */
  callsBefore: number;
}

export interface OpenDelivery {
  id: string;
  attempts: number;
  endpoint_id: string;
  event_id: string;
  last_error: string | null;
  next_attempt_at: Date;
}

export class WebhookListeners {
  readonly listeners: WebhookListener[] = [];
  /** The highest allowed share of repeated requests among all requests, for any reason. */
  maxRepeatedShare = 1;
  /**
   * The number of times that a request may arrive again, by `endpoint/event`. The number grows with
   * each worker that died after the request had arrived but before the result was recorded.
   */
  readonly #repeatable = new Map<string, number>();

  constructor(
    private readonly deployment: Deployment,
    private readonly receiver: StrictReceiver,
    private readonly load: Load,
  ) {}

  /**
   * Adds an endpoint by SQL, because the scenario may have killed the process that serves the API.
   */
  async addEndpoint(tenant: DeployedTenant, respond?: Responder, maxInFlight = 20): Promise<WebhookListener> {
    const endpoint = this.receiver.add(respond ? { respond } : {});
    // Give the receiver the secret first, because a delivery may arrive as soon as the endpoint is
    // inserted.
    const secret = generateSecret();
    endpoint.secrets = [secret];
    const { id } = await insertSignedEndpoint(
      { db: await this.deployment.db(), config: { secretKey: SECRET_KEY } },
      tenant.id,
      { url: endpoint.url, eventTypes: ['invoice.created'], maxInFlight, secret },
    );
    const listener = { tenant, id, endpoint, callsBefore: this.load.calls.length };
    this.listeners.push(listener);
    return listener;
  }

  /**
   * Records that a worker has died. From then on, each request that was in flight is allowed to
   * arrive twice. Call this method right after the death.
   * @param comesBack true if the worker is only suspended. It will continue its work, so every open
   * delivery may arrive twice
   */
  async recordDeath({ comesBack = false } = {}): Promise<void> {
    const open = await this.findOpenDeliveries();
    await new Promise((resolve) => setTimeout(resolve, SOCKET_READ_MS));
    const byId = new Map(this.listeners.map((listener) => [listener.id, listener.endpoint]));
    for (const row of open) {
      if (!comesBack && !byId.get(row.endpoint_id)?.requestsOf(row.event_id).length) continue;
      const key = `${row.endpoint_id}/${row.event_id}`;
      this.#repeatable.set(key, (this.#repeatable.get(key) ?? 0) + 1);
    }
  }

  /** Waits until `more` more requests have arrived. */
  async waitForRequests(more: number): Promise<void> {
    const goal = this.receivedCount + more;
    await eventually(`${more} deliveries`, () => this.receivedCount >= goal, 120_000);
  }

  /** Waits until all deliveries that are open at the time of the call have ended. */
  async waitForBacklog(): Promise<void> {
    const openNow = new Set((await this.findOpenDeliveries()).map(({ id }) => id));
    await eventually(
      'what is open to be delivered',
      async () => !(await this.findOpenDeliveries()).some(({ id }) => openNow.has(id)),
      RECOVERY_MS,
    );
  }

  /**
   * Ends the load and waits until every delivery has ended. Asserts that each acknowledged invoice
   * reached each endpoint of its tenant, validly signed and unchanged. Only requests in flight when
   * a worker died may have arrived twice.
   * @param healedAt when the last fault ended, in ms since 1970
   */
  async expectAllDelivered(healedAt: number): Promise<void> {
    await this.expectEachDelivered(healedAt);
    await this.#expectLogged();
    this.#expectRepeatsExplained();
  }

  /**
   * As {@link expectAllDelivered}, but allows any request to arrive again. Returns how many did.
   * Faults of the stores can repeat deliveries in many ways.
   */
  async expectEachDelivered(healedAt: number): Promise<{ received: number; repeated: number }> {
    await this.load.stop();
    const failed = this.load.calls.filter(({ outcome }) => outcome !== 'ok');
    expect(failed, 'calls that did not succeed').to.deep.equal([]);
    const limit = Math.max(0, healedAt + RECOVERY_MS - Date.now());
    let open: OpenDelivery[] = [];
    const haveEnded = async () => {
      open = await this.findOpenDeliveries();
      return open.length === 0;
    };
    await eventually('every delivery to end', haveEnded, limit).catch((error: Error) => {
      throw new Error(`${error.message}; ${open.length} are open: ${JSON.stringify(open.slice(0, 3))}`);
    });
    deliveryTotals.slowestRecoveryMs = Math.max(deliveryTotals.slowestRecoveryMs, Date.now() - healedAt);
    expect(this.receiver.problems).to.deep.equal([]);
    for (const listener of this.listeners) this.#expectAllReceived(listener);
    const repeated = this.listeners.flatMap(({ endpoint }) => endpoint.requests).filter(({ nth }) => nth > 1);
    return { received: this.receivedCount, repeated: repeated.length };
  }

  #expectAllReceived({ tenant, endpoint, callsBefore: earlier }: WebhookListener): void {
    const received = new Map(endpoint.requests.map(({ event }) => [event.data.object.id, event.data.object]));
    for (const call of this.load.calls.slice(earlier)) {
      if (call.tenant !== tenant) continue;
      const invoice = received.get(call.id);
      expect(invoice?.invoice_number, `an event at ${endpoint.url}`).to.equal(call.body.invoice_number);
      if (call.text) expect(invoice).to.deep.equal(JSON.parse(call.text));
    }
  }

  /**
   * Asserts that the delivery log agrees with what arrived: one successful delivery per event and
   * endpoint, and each attempt once. No attempt may have been signed before it started.
   */
  async #expectLogged(): Promise<void> {
    const rows = await this.#query<{ endpoint_id: string; event_ids: string[]; unsuccessful: number }>(
      `select endpoint_id, array_agg(event_id) as event_ids, (count(*) filter (where status <> 'succeeded'))::int as unsuccessful
       from webhook_deliveries where endpoint_id = any($1) group by 1`,
    );
    const logged = new Map(rows.map((row) => [row.endpoint_id, row]));
    for (const { id, endpoint } of this.listeners) {
      expect(logged.get(id)?.unsuccessful ?? 0).to.equal(0);
      expect([...(logged.get(id)?.event_ids ?? [])].sort()).to.deep.equal([...endpoint.ids].sort());
    }
    const mismatched = await this.#query<OpenDelivery>(
      `select d.id, d.endpoint_id, d.event_id, d.attempts, count(a.id)::int as logged from webhook_deliveries d
       left join webhook_attempts a on a.tenant_id = d.tenant_id and a.delivery_id = d.id
       where d.endpoint_id = any($1) group by d.tenant_id, d.id having count(a.id) <> d.attempts`,
    );
    const unexplained = mismatched.filter(
      ({ endpoint_id, event_id }) => !this.#repeatable.has(`${endpoint_id}/${event_id}`),
    );
    expect(unexplained, 'deliveries whose attempts are not in the log once each').to.deep.equal([]);
    const staleAttempts = await this.#query<{ event_id: string; attempt: number }>(
      `select d.event_id, a.attempt from webhook_attempts a
       join webhook_deliveries d on d.tenant_id = a.tenant_id and d.id = a.delivery_id
       where a.endpoint_id = any($1)
         and coalesce((a.request_headers ->> 'webhook-timestamp')::bigint, 0) < floor(extract(epoch from a.started_at))`,
    );
    expect(staleAttempts, 'attempts that were signed before they started').to.deep.equal([]);
  }

  #expectRepeatsExplained(): void {
    const repeated = this.listeners.flatMap(({ id, endpoint }) =>
      endpoint.requests
        .filter(({ nth }) => nth > 1)
        .map((request) => ({ key: `${id}/${request.id}`, times: request.nth - 1 })),
    );
    const unexplained = repeated.filter(({ key, times }) => times > (this.#repeatable.get(key) ?? 0));
    expect(unexplained, 'repeated requests that were not in flight at a death').to.deep.equal([]);
    const { receivedCount: received } = this;
    const share = repeated.length / received;
    expect(share, `${repeated.length} of ${received} arrived again`).to.be.at.most(this.maxRepeatedShare);
    deliveryTotals.requests += received;
    deliveryTotals.repeated += repeated.length;
    deliveryTotals.repeatable += [...this.#repeatable.values()].reduce((sum, times) => sum + times, 0);
  }

  /** The number of requests so far, including repeated ones. */
  get receivedCount(): number {
    return this.listeners.reduce((sum, { endpoint }) => sum + endpoint.requests.length, 0);
  }

  findOpenDeliveries(): Promise<OpenDelivery[]> {
    return this.#query<OpenDelivery>(
      'select id, endpoint_id, event_id, attempts, last_error, next_attempt_at from webhook_deliveries where next_attempt_at is not null and endpoint_id = any($1)',
    );
  }

  /**
   * Runs a query on the rows of the listeners' tenants.
   * @param text the query, in which `$1` stands for the ids of the listeners' endpoints
   */
  async #query<Row>(text: string): Promise<Row[]> {
    const db = await this.deployment.db();
    const tenants = [...new Set(this.listeners.map(({ tenant }) => tenant.id))];
    const values = [this.listeners.map(({ id }) => id)];
    return db.transaction(tenants, (tx) => tx.query<Row>({ text, values }));
  }
}
