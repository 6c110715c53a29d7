import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { twilio } from '../../../shared/integrations/twilio/adapter.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../shared/queues/integrations.js';
import type { Json } from '../client.js';
import { eventually } from '../poll.js';
import { TestStack, type TestTenant } from '../stack.js';
import { useShared } from '../use-stack.js';
import { createApprovedInvoice } from './approved-invoice.js';
import type { TwilioAccount } from './doubles/twilio/twilio-account.js';
import { TwilioDouble } from './doubles/twilio/twilio-double.js';

let nextPhone = 4_000_001;

/** Returns a stack that all files share. Its accounts text through a double of Twilio. */
export function usePhoningStack(): PhoningStack {
  const phoning = useShared(
    'phoning',
    () => PhoningStack.start(),
    (running) => running.stop(),
  );
  afterEach(() => {
    phoning.double.misbehave = () => undefined;
    expect(phoning.double.violations).to.deep.equal([]);
  });
  return phoning;
}

const NUMBERS = { from_number: '+15185550100', dispatcher_number: '+15185550199' };

/** A stack whose accounts text through a double of Twilio. */
export class PhoningStack {
  private constructor(
    readonly stack: TestStack,
    readonly double: TwilioDouble,
  ) {}

  static async start(): Promise<PhoningStack> {
    const double = await new TwilioDouble().start();
    const stack = await TestStack.start({
      integrations: true,
      vendors: new Vendors([twilio]),
      environment: { INTEGRATIONS: JSON.stringify({ twilio: { base_url: double.origin } }) },
    });
    return new PhoningStack(stack, double);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.double.stop();
  }

  async createAccount(): Promise<PhoningAccount> {
    const account = new PhoningAccount(this.stack, this.double, await this.stack.createTenant());
    await account.connect();
    return account;
  }
}

/** An account that texts through the double of Twilio. */
export class PhoningAccount {
  readonly accountSid: string;
  readonly twilio: TwilioAccount;
  connectionId = '';
  inboundUrls: Record<'messages' | 'voice' | 'status', string> = { messages: '', voice: '', status: '' };
  private readonly authToken: string;

  constructor(
    readonly stack: TestStack,
    readonly double: TwilioDouble,
    readonly tenant: TestTenant,
  ) {
    const { accountSid, authToken, account } = double.openAccount();
    this.accountSid = accountSid;
    this.authToken = authToken;
    this.twilio = account;
  }

  /** The header with which the product calls Twilio for this account. */
  get authorization(): string {
    return `Basic ${Buffer.from(`${this.accountSid}:${this.authToken}`).toString('base64')}`;
  }

  get client() {
    return this.tenant.client;
  }

  async connect(): Promise<void> {
    const { status, body } = await this.client.post('/connections', {
      vendor: 'twilio',
      credentials: { account_sid: this.accountSid, auth_token: this.authToken },
      settings: NUMBERS,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    this.connectionId = body.id;
    this.inboundUrls = body.inbound_urls;
    await eventually('the connection is active', async () => {
      const connection = (await this.client.get(`/connections/${this.connectionId}`)).body;
      return connection.status === 'active' && connection.external_account === this.accountSid;
    });
  }

  /** Replaces the connection's settings, except its phone numbers. */
  async change(settings: object): Promise<void> {
    const { status, body } = await this.client.patch(`/connections/${this.connectionId}`, {
      settings: { ...NUMBERS, ...settings },
    });
    expect(status, JSON.stringify(body)).to.equal(200);
  }

  /** Creates and approves an invoice of 125 dollars. */
  createInvoice(members: object = { billing_email: 'a@example.com' }): Promise<string> {
    return createApprovedInvoice(this.client, 12_500, members);
  }

  /** Sends an invoice by text, and returns the phone number and the id of the message. */
  async sendText(phone = `+1212${nextPhone++}`): Promise<{ phone: string; id: string }> {
    const id = await this.createInvoice();
    const sent = await this.client.post(`/invoices/${id}/send`, { channel: 'sms', to: phone });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const { body } = await this.client.get(`/messages?invoice_id=${id}`);
    return { phone, id: body.data.items[0].id };
  }

  async readMessage(id: string): Promise<Json> {
    return (await this.client.get(`/messages/${id}`)).body;
  }

  async waitForState(id: string, state: string): Promise<Json> {
    return eventually(`the message is ${state}`, async () => {
      const message = await this.readMessage(id);
      return message.state === state && message;
    });
  }

  /** Posts a signed form to one of the connection's addresses, as Twilio does. */
  post(url: string, form: Record<string, string>): Promise<{ status: number; text: string }> {
    const { origin } = this.stack;
    return this.double.post(url, form, { origin, accountSid: this.accountSid });
  }

  /** Sends a text from a customer to the account's number, as Twilio posts it. */
  receive(from: string, text: string, sid = `SM${randomUUID().replaceAll('-', '')}`) {
    return this.post(this.inboundUrls.messages, {
      MessageSid: sid,
      From: from,
      To: '+15185550100',
      Body: text,
    });
  }

  async listInbound(from: string): Promise<Json[]> {
    const { body } = await this.client.get('/messages?direction=inbound&limit=200');
    return body.data.items.filter(({ sender }: { sender: string }) => sender === from);
  }

  /** Makes the account's delayed work due now, and wakes the workers. */
  async hurry(): Promise<void> {
    const { id } = this.tenant;
    for (const text of [
      'update outbound_operations set next_at = now() where next_at > now() and tenant_id = $1',
      `update connection_queues set open_until = null, throttled_until = null, opened = 0, consecutive_failures = 0
       where tenant_id = $1`,
      `update sync_states set next_at = now() where tenant_id = $1 and stream <> 'describe' and next_at > now()`,
    ])
      await this.stack.rows(id, text, [id]);
    const queue = openIntegrationsQueue(this.stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: id, connectionId: this.connectionId }]);
  }
}
