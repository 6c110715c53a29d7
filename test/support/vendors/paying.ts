import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../shared/queues/integrations.js';
import { DESCRIBE_STREAM } from '../../../shared/sync/stream-rows.js';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';
import { type StackOptions, TestStack, type TestTenant } from '../stack.js';
import { useShared } from '../use-stack.js';
import { createApprovedInvoice } from './approved-invoice.js';
import { STRIPE_APP } from './doubles/stripe/oauth.js';
import type { SaveOptions } from './doubles/stripe/saved-methods.js';
import type { StripeAccount } from './doubles/stripe/stripe-account.js';
import { StripeDouble } from './doubles/stripe/stripe-double.js';

/** The secret of the webhooks that Stripe sends to the operator's application. */
export const APP_WEBHOOK_SECRET = 'whsec_application';

export const PAYING_VENDORS = new Vendors([smtp, stripe]);

const PULLED_STREAMS = ['payments', 'refunds', 'disputes', 'payment_methods', 'payouts', 'payout_items'];

/** Returns a stack that all files share. Its accounts take payments through a double of Stripe. */
export function usePayingStack(): PayingStack {
  const paying = useShared(
    'paying',
    () => PayingStack.start(),
    (running) => running.stop(),
  );
  afterEach(() => expect(paying.double.violations).to.deep.equal([]));
  return paying;
}

/** A stack whose accounts take payments through a double of Stripe. */
export class PayingStack {
  private constructor(
    readonly stack: TestStack,
    readonly double: StripeDouble,
  ) {}

  static async start(options: StackOptions = {}): Promise<PayingStack> {
    const double = await new StripeDouble().start();
    const app = { ...STRIPE_APP, webhook_secret: APP_WEBHOOK_SECRET };
    const INTEGRATIONS = JSON.stringify({ stripe: { base_url: double.origin, ...app } });
    const stack = await TestStack.start({
      integrations: true,
      vendors: PAYING_VENDORS,
      ...options,
      environment: { INTEGRATIONS, ...options.environment },
    });
    return new PayingStack(stack, double);
  }

  async stop(): Promise<void> {
    await this.double.stop();
    await this.stack.stop();
  }

  async createAccount(settings: object = {}): Promise<PayingAccount> {
    const account = new PayingAccount(this.stack, this.double, await this.stack.createTenant());
    await account.connect(settings);
    return account;
  }
}

/** An account whose customers pay through the double of Stripe. */
export class PayingAccount {
  connectionId = '';
  readonly vendor: StripeAccount;

  constructor(
    readonly stack: TestStack,
    readonly double: StripeDouble,
    readonly tenant: TestTenant,
    vendorKey?: string,
  ) {
    this.vendor = double.openAccount(vendorKey);
  }

  /** The header with which the product calls Stripe for this account. */
  get authorization(): string {
    return `Bearer ${this.vendor.key}`;
  }

  get client() {
    return this.tenant.client;
  }

  /** Connects Stripe, and registers the connection's webhook address at the double. */
  async connect(settings: object = {}): Promise<void> {
    const secret = `whsec_${randomUUID()}`;
    const { status, body } = await this.client.post('/connections', {
      vendor: 'stripe',
      credentials: { secret_key: this.vendor.key, webhook_secret: secret },
      settings,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    const { pathname } = new URL(body.webhook_url);
    this.vendor.webhook = { url: `${this.stack.origin}${pathname}`, secret };
    await this.waitForStatus('active');
  }

  /** Connects Stripe by a sign-in, whose webhooks go to the operator's application. */
  async signIn(): Promise<Json> {
    const { status, body } = await this.client.post('/connections', { vendor: 'stripe' });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    await this.permit(body.authorize_url);
    this.vendor.webhook = { url: `${this.stack.origin}/hooks/stripe`, secret: APP_WEBHOOK_SECRET };
    return this.waitForStatus('active');
  }

  /**
   * Allows access on the double's sign-in page, then confirms the connection on the product's
   * callback page.
   */
  async permit(authorizeUrl: string): Promise<Response> {
    const back = new URL(this.double.signIns.permit(authorizeUrl, this.vendor));
    return fetch(`${this.stack.origin}${back.pathname}${back.search}`, { method: 'POST' });
  }

  async waitForStatus(status: string): Promise<Json> {
    return eventually(`the connection is ${status}`, async () => {
      const { body } = await this.client.get(`/connections/${this.connectionId}`);
      return body.status === status && body;
    });
  }

  async createCustomer(): Promise<string> {
    const { body } = await this.client.post('/customers', {
      company_name: 'Riverside Motors',
      billing_email: 'pay@riverside.example.com',
    });
    return body.id;
  }

  /** Opens a page where the customer saves a payment method. */
  async openSetupLink(customerId: string): Promise<Json> {
    const { status, body } = await this.client.post(`/customers/${customerId}/payment-methods`, {});
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body.status, JSON.stringify(body)).to.equal('open');
    return body;
  }

  async saveMethod(customerId: string, options: SaveOptions = {}): Promise<Json> {
    const { id, url } = await this.openSetupLink(customerId);
    this.double.saveMethod(url, options);
    return this.waitForMethod(id, 'active');
  }

  async waitForMethod(id: string, status: string): Promise<Json> {
    return eventually(`the payment method is ${status}`, async () => {
      const { body } = await this.client.get(`/payment-methods/${id}`);
      return body.status === status && body;
    });
  }

  /** Creates and approves an invoice, of a new customer by default. */
  async createInvoice(totalCents = 12_500, customerId?: string): Promise<string> {
    const customer_id = customerId ?? (await this.createCustomer());
    return createApprovedInvoice(this.client, totalCents, { customer_id });
  }

  async openPayLink(invoiceId: string, body: object = {}): Promise<Json> {
    const { status, body: link } = await this.client.post(`/invoices/${invoiceId}/pay-link`, body);
    expect(status, JSON.stringify(link)).to.equal(201);
    expect(link.status, JSON.stringify(link)).to.equal('open');
    return link;
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

  /** Waits until all pulls that are due have run. */
  async waitForPulls(): Promise<void> {
    const text = 'select from sync_states where next_at <= now() and tenant_id = $1';
    await eventually('the pulls have run', async () => {
      const due = await this.stack.rows(this.tenant.id, text, [this.tenant.id]);
      return due.length === 0;
    });
  }

  /** Counts the webhook items whose records the worker has not read yet. */
  async countWaitingNotices(): Promise<number> {
    const text = 'select from inbound_notices where is_waiting and tenant_id = $1';
    return (await this.stack.rows(this.tenant.id, text, [this.tenant.id])).length;
  }

  /**
   * Makes the account's delayed work due now, and wakes the workers.
   * @param streams the streams to pull; by default all
   */
  async hurry(streams: readonly string[] = PULLED_STREAMS): Promise<void> {
    const { id } = this.tenant;
    const values = [id];
    for (const text of [
      'update outbound_operations set next_at = now() where next_at > now() and tenant_id = $1',
      `update connection_queues set open_until = null, throttled_until = null, opened = 0, consecutive_failures = 0
       where tenant_id = $1`,
      'update inbound_notices set due_at = now() where is_waiting and tenant_id = $1',
    ])
      await this.stack.rows(id, text, values);
    // A new connection waits until the vendor has described its account.
    const pull = `update sync_states s set next_at = now() from connections c
      where s.tenant_id = $1 and c.tenant_id = s.tenant_id and c.id = s.connection_id and s.next_at > now()
        and (s.stream = any($2::text[]) or s.stream = '${DESCRIBE_STREAM}' and c.status = 'pending')`;
    await this.stack.rows(id, pull, [id, streams]);
    const queue = openIntegrationsQueue(this.stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: id, connectionId: this.connectionId }]);
  }
}
