import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../../shared/queues/integrations.js';
import { DESCRIBE_STREAM } from '../../../../shared/sync/stream-rows.js';
import type { Json } from '../../client.js';
import { eventually } from '../../poll.js';
import type { TestStack, TestTenant } from '../../stack.js';
import type { Fault } from '../contracts/fault.js';
import type { Bookkeeper } from './bookkeeper.js';

const PULLED_STREAMS = ['customers', 'invoices', 'booked_payments', 'choices'];

/** What the tests use of the double of any vendor. */
interface ShownDouble {
  misbehave: (name: string) => Fault | undefined;
  webhooks: { settle(): Promise<void>; habits: { isLost: boolean; copies: number } };
}

interface Release {
  customerId?: string;
  lines?: object[];
  members?: object;
  hurries?: boolean;
}

/** An account with books at the double of any vendor. `Booked` is an invoice there. */
export abstract class BooksAccount<Booked> {
  connectionId = '';
  abstract readonly vendor: string;
  abstract readonly double: ShownDouble;
  /** The books as the bookkeeper sees them. */
  abstract readonly bookkeeper: Bookkeeper;

  constructor(
    readonly stack: TestStack,
    readonly tenant: TestTenant,
  ) {}

  /** The settings with which the account connects. */
  abstract get settings(): object;

  abstract findBooked(number: string): Booked | undefined;

  /** Lets a person sign in at the double. Returns the address to which it sends back. */
  protected abstract signIn(authorizeUrl: string): string;

  /** Counts how often the application has ended its access to these books. */
  protected abstract countEnded(): number;

  get client() {
    return this.tenant.client;
  }

  /** Signs in at the double, and returns the connection once it is active. */
  async connect(settings: object = this.settings): Promise<Json> {
    const { status, body } = await this.client.post('/connections', { vendor: this.vendor, settings });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    await this.permit(body.authorize_url);
    return this.waitForStatus('active');
  }

  /** Makes all delayed writes due now, and waits until none is left. */
  async settle(): Promise<void> {
    await this.hurry([]);
    await this.waitForWrites();
  }

  /**
   * Disconnects the books, and waits until the access is revoked. A later revocation would also end
   * the access of a new connection to the same company.
   */
  async disconnect(): Promise<void> {
    const before = this.countEnded();
    const { status } = await this.client.delete(`/connections/${this.connectionId}`);
    expect(status).to.be.within(200, 204);
    await eventually('the access is revoked', () => this.countEnded() > before);
  }

  async permit(authorizeUrl: string): Promise<Response> {
    const back = new URL(this.signIn(authorizeUrl));
    return fetch(`${this.stack.origin}${back.pathname}${back.search}`, { method: 'POST' });
  }

  async readConnection(): Promise<Json> {
    return (await this.client.get(`/connections/${this.connectionId}`)).body;
  }

  async waitForStatus(status: string): Promise<Json> {
    return eventually(`the connection is ${status}`, async () => {
      const connection = await this.readConnection();
      return connection.status === status && connection;
    });
  }

  async createCustomer(members: object = {}): Promise<Json> {
    const { status, body } = await this.client.post('/customers', {
      company_name: `Riverside ${randomUUID().slice(0, 8)}`,
      billing_email: `pay-${randomUUID().slice(0, 8)}@riverside.example.com`,
      primary_phone: '+1 518 555 0100',
      address: '12 Dock St',
      city: 'Albany',
      state: 'NY',
      zip: '12207',
      ...members,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  /** Creates, approves and sends an invoice. */
  async release(options: Release = {}): Promise<Json> {
    const customer_id = options.customerId ?? (await this.createCustomer()).id;
    const invoice = await this.client.post('/invoices', {
      invoice_number: randomUUID().slice(0, 20),
      customer_id,
      line_items: options.lines ?? [line({ unit_price_cents: 12_500 })],
      ...options.members,
    });
    expect(invoice.status, JSON.stringify(invoice.body)).to.equal(201);
    await this.client.post(`/invoices/${invoice.body.id}/approve`, {});
    const sent = await this.client.post(`/invoices/${invoice.body.id}/send`, {});
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    if (options.hurries ?? true) await this.hurry([]);
    else await this.wake();
    return sent.body;
  }

  async pay(invoiceId: string, amount_cents: number, members: object = {}): Promise<Json> {
    const path = `/invoices/${invoiceId}/payments`;
    const { status, body } = await this.client.post(path, { amount_cents, method: 'check', ...members });
    expect(status, JSON.stringify(body)).to.equal(201);
    await this.hurry([]);
    return body;
  }

  /** Releases an invoice, and returns it with its record in the books. */
  async releaseBooked(options: Release = {}): Promise<[Json, Booked]> {
    const invoice = await this.release(options);
    return [invoice, await this.waitForBooked(invoice.invoice_number)];
  }

  waitForBooked(number: string): Promise<Booked> {
    return eventually(`invoice ${number} is in the books`, () => this.findBooked(number));
  }

  /** Waits until the worker has no write to the books left to send. */
  async waitForWrites(timeoutMs?: number): Promise<void> {
    const text =
      'select state, kind, last_error from outbound_operations where next_at is not null and tenant_id = $1 limit 10';
    let rows: unknown[] = [];
    await eventually(
      'the writes have ended',
      async () => {
        rows = await this.stack.rows(this.tenant.id, text, [this.tenant.id]);
        return rows.length === 0;
      },
      timeoutMs,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(rows)}`);
    });
  }

  async waitForNotices(): Promise<void> {
    await this.double.webhooks.settle();
    // Nobody reads the items of a connection that was disconnected before.
    const text = 'select from inbound_notices where is_waiting and tenant_id = $1 and connection_id = $2';
    await eventually('the webhooks are read', async () => {
      await this.hurry([]);
      return (await this.stack.rows(this.tenant.id, text, [this.tenant.id, this.connectionId])).length === 0;
    });
  }

  async readInvoice(id: string): Promise<Json> {
    return (await this.client.get(`/invoices/${id}`)).body;
  }

  async listPayments(invoiceId: string): Promise<Json[]> {
    return (await this.client.get(`/invoices/${invoiceId}/payments`)).body.data.items;
  }

  async waitForInvoice(id: string, status: string): Promise<Json> {
    return eventually(`the invoice is ${status}`, async () => {
      const invoice = await this.readInvoice(id);
      return invoice.status === status && invoice;
    });
  }

  async listIssues(): Promise<Json[]> {
    return (await this.client.get(`/sync-issues?status=open&connection_id=${this.connectionId}`)).body.data
      .items;
  }

  /** Waits until no issue is open. A command closes an issue soon after both sides agree. */
  async waitForAgreement(): Promise<void> {
    let issues: Json[] = [];
    await eventually('no issue is open', async () => {
      issues = await this.listIssues();
      return issues.length === 0;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(issues)}`);
    });
  }

  async waitForIssue(kind: string): Promise<Json> {
    return eventually(`there is an issue ${kind}`, async () =>
      (await this.listIssues()).find((issue) => issue.kind === kind),
    );
  }

  /** Makes the account's delayed work due now, and wakes the workers. */
  async hurry(streams: readonly string[] = PULLED_STREAMS): Promise<void> {
    const { id } = this.tenant;
    for (const text of [
      'update outbound_operations set next_at = now() where next_at > now() and tenant_id = $1',
      `update connection_queues set open_until = null, throttled_until = null, opened = 0, consecutive_failures = 0
       where tenant_id = $1`,
      'update inbound_notices set due_at = now() where is_waiting and tenant_id = $1',
    ])
      await this.stack.rows(id, text, [id]);
    // A new connection waits until the vendor has described its account.
    const pull = `update sync_states s set next_at = now() from connections c
      where s.tenant_id = $1 and c.tenant_id = s.tenant_id and c.id = s.connection_id and s.next_at > now()
        and (s.stream = any($2::text[]) or s.stream = '${DESCRIBE_STREAM}' and c.status = 'pending')`;
    await this.stack.rows(id, pull, [id, streams]);
    await this.wake();
  }

  /** Wakes the workers of the connection. */
  async wake(): Promise<void> {
    const queue = openIntegrationsQueue(this.stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: this.tenant.id, connectionId: this.connectionId }]);
  }

  async pullAll(timeoutMs?: number): Promise<void> {
    await this.hurry();
    const text = 'select from sync_states where next_at <= now() and tenant_id = $1 and connection_id = $2';
    await eventually(
      'the pulls have run',
      async () => {
        const due = await this.stack.rows(this.tenant.id, text, [this.tenant.id, this.connectionId]);
        return due.length === 0;
      },
      timeoutMs,
    );
  }
}

/** A line item of an invoice. */
export function line(
  members: { unit_price_cents: number; quantity?: number } & Record<string, unknown>,
): object {
  const { unit_price_cents, quantity = 1 } = members;
  return {
    name: 'Tow',
    category: 'tow',
    unit_type: 'each',
    taxable: false,
    total_cents: Math.round(quantity * unit_price_cents),
    ...members,
    quantity,
  };
}
