import { expect } from 'chai';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { smtp } from '../../../shared/integrations/smtp/adapter.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../shared/queues/integrations.js';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';
import { type StackOptions, TestStack, type TestTenant } from '../stack.js';
import { useShared } from '../use-stack.js';
import { createApprovedInvoice } from './approved-invoice.js';
import { parrot, parrotWithKeys } from './parrot/adapter.js';
import { ParrotDouble, ParrotServer } from './parrot-double.js';

let nextPhone = 6_000_001;

export const WEBHOOK_SECRET = 'parrot-webhook-secret';

/**
 * The product's vendor `smtp`, and the made-up vendor Parrot in two forms: with OAuth and with API
 * keys.
 */
export const TEST_VENDORS = new Vendors([smtp, parrot, parrotWithKeys]);

/**
 * Builds the value of the environment variable INTEGRATIONS that makes the product call this server
 * instead of Parrot's.
 */
export function buildIntegrationsSetting({ origin }: ParrotServer): string {
  const application = {
    client_id: 'tow',
    client_secret: 'parrot-client-secret',
    webhook_secret: WEBHOOK_SECRET,
    base_url: origin,
  };
  return JSON.stringify({ parrot: application, parrot_keys: application });
}

/**
 * Returns a stack that all files share. Its accounts can send texts through a double that only this
 * `describe` uses. After each test, the double behaves again, and must have seen no violation of
 * its contract. After the tests, all connections are disconnected, so that none calls the double of
 * a later `describe`.
 */
export function useTextingStack(): TextingStack {
  const texting = useShared(
    'texting',
    () => TextingStack.start(),
    (running) => running.stop(),
  );
  before(() => texting.replaceDouble());
  afterEach(() => {
    texting.double.misbehave = () => undefined;
    expect(texting.double.violations).to.deep.equal([]);
  });
  after(() => texting.disconnectAll());
  return texting;
}

/** A stack whose accounts can send texts through a double of Parrot's server. */
export class TextingStack {
  private accounts: TextingAccount[] = [];

  private constructor(
    readonly stack: TestStack,
    readonly server: ParrotServer,
  ) {}

  static async start(options: StackOptions = {}): Promise<TextingStack> {
    const server = await new ParrotServer().start();
    const environment = { INTEGRATIONS: buildIntegrationsSetting(server), ...options.environment };
    const stack = await TestStack.start({
      integrations: true,
      vendors: TEST_VENDORS,
      ...options,
      environment,
    });
    return new TextingStack(stack, server);
  }

  get double(): ParrotDouble {
    return this.server.double;
  }

  replaceDouble(): void {
    this.server.double = new ParrotDouble();
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.server.stop();
  }

  async createAccount(name?: string): Promise<TextingAccount> {
    const account = new TextingAccount(this.stack, this.double, await this.stack.createTenant(name));
    this.accounts.push(account);
    return account;
  }

  /** Disconnects all connections of the accounts created so far, without a call to the vendor. */
  async disconnectAll(): Promise<void> {
    for (const { tenant } of this.accounts.splice(0))
      for (const id of [tenant.id, tenant.sandboxId]) {
        await this.stack.rows(id, 'delete from connection_secrets where tenant_id = $1', [id]);
        await this.stack.rows(id, "update connections set status = 'revoked' where tenant_id = $1", [id]);
      }
  }
}

/** An account that can send texts through the double of Parrot's server. */
export class TextingAccount {
  connectionId = '';
  webhookUrl = '';

  constructor(
    readonly stack: TestStack,
    readonly double: ParrotDouble,
    readonly tenant: TestTenant,
  ) {}

  get client() {
    return this.tenant.client;
  }

  /** Connects the vendor `parrot_keys` with a key, which the double then accepts. */
  async connectWithKey(api_key: string): Promise<this> {
    this.double.acceptKey(api_key);
    const { status, body } = await this.client.post('/connections', {
      vendor: 'parrot_keys',
      credentials: { api_key },
      settings: { from_number: '+12125550100' },
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    await this.waitForStatus('active');
    return this;
  }

  /** Connects the vendor `parrot`, and signs in at the double. */
  async connect(): Promise<this> {
    const { status, body } = await this.client.post('/connections', {
      vendor: 'parrot',
      settings: { from_number: '+12125550100' },
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    this.webhookUrl = body.webhook_url;
    await this.signIn(body.authorize_url);
    await this.waitForStatus('active');
    return this;
  }

  /**
   * Signs in at the double, and sends the POST with which a person confirms the connection on the
   * callback page. The page asks for this confirmation because an API key started the sign-in.
   */
  async signIn(authorizeUrl: string): Promise<Response> {
    const back = this.double.permit(authorizeUrl);
    return fetch(`${this.stack.origin}${back.pathname}${back.search}`, { method: 'POST' });
  }

  async read(): Promise<Json> {
    return (await this.client.get(`/connections/${this.connectionId}`)).body;
  }

  async waitForStatus(status: string): Promise<Json> {
    return eventually(`the connection is ${status}`, async () => {
      const connection = await this.read();
      return connection.status === status && connection;
    });
  }

  /** Creates an invoice, sends it by text, and returns the id of the message. */
  async sendText(phone = `+1212${nextPhone++}`): Promise<string> {
    const customer = await this.client.post('/customers', { company_name: 'Riverside Motors' });
    const id = await createApprovedInvoice(this.client, 12_500, { customer_id: customer.body.id });
    const sent = await this.client.post(`/invoices/${id}/send`, { channel: 'sms', to: phone });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const { body } = await this.client.get(`/messages?invoice_id=${id}`);
    return body.data.items[0].id;
  }

  async readMessage(id: string): Promise<Json> {
    return (await this.client.get(`/messages/${id}`)).body;
  }

  async waitForMessages(ids: readonly string[], state: string, timeoutMs = 20_000): Promise<void> {
    await eventually(
      `${ids.length} messages are ${state}`,
      async () => {
        const found = await Promise.all(ids.map((id) => this.readMessage(id)));
        return found.every((message) => message.state === state);
      },
      timeoutMs,
    );
  }

  async listOperations(): Promise<Json[]> {
    const { body } = await this.client.get(`/connections/${this.connectionId}/operations?limit=200`);
    return body.data.items;
  }

  async findOperations(messageId: string): Promise<Json[]> {
    return (await this.listOperations()).filter(({ record_id }) => record_id === messageId);
  }

  /** Runs SQL in which `$1` is the connection. */
  async run<T>(text: string): Promise<T[]> {
    return this.stack.rows<T>(this.tenant.id, text, [this.connectionId]) as Promise<T[]>;
  }

  async postWebhook(events: { id: string }[], secret = WEBHOOK_SECRET): Promise<Response> {
    const { pathname } = new URL(this.webhookUrl);
    return fetch(`${this.stack.origin}${pathname}`, this.double.buildWebhook(events, secret));
  }

  /**
   * Ends the leases that a dead worker still has on the account's connection queues, and wakes the
   * other workers.
   */
  async endLease(): Promise<void> {
    const text = 'update connection_queues set owner = null, lease_until = null where tenant_id = $1';
    await this.stack.rows(this.tenant.id, text, [this.tenant.id]);
    await this.hurry();
  }

  /**
   * Makes all delayed work of the account due now: retries, pauses, leases on token refreshes, and
   * the next sync. Then wakes the workers.
   */
  async hurry(): Promise<void> {
    const values = [this.tenant.id];
    const { id } = this.tenant;
    await this.stack.rows(
      id,
      'update outbound_operations set next_at = now() where next_at > now() and tenant_id = $1',
      values,
    );
    await this.stack.rows(
      id,
      `update connection_queues set open_until = null, throttled_until = null, opened = 0, consecutive_failures = 0
       where tenant_id = $1`,
      values,
    );
    await this.stack.rows(
      id,
      'update connection_secrets set refresh_lease_until = null where tenant_id = $1',
      values,
    );
    await this.stack.rows(
      id,
      `update sync_states set next_at = now() where tenant_id = $1 and stream = 'messages' and next_at > now()`,
      values,
    );
    const queue = openIntegrationsQueue(this.stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: id, connectionId: this.connectionId }]);
  }
}
