import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Vendors } from '../../../../shared/integrations/contract/vendor.js';
import { twilio } from '../../../../shared/integrations/twilio/adapter.js';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../../shared/queues/integrations.js';
import { eventually } from '../../../support/poll.js';
import { TestStack, type TestTenant } from '../../../support/stack.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { TwilioDouble } from '../../../support/vendors/twilio-double/twilio-double.js';

describe('texts through Twilio', () => {
  requireContracts();
  let double: TwilioDouble;
  let stack: TestStack;
  let tenant: TestTenant;
  let connectionId: string;
  let nextPhone = 4_000_001;

  before(async () => {
    double = await new TwilioDouble().start();
    stack = await TestStack.start({
      integrations: true,
      vendors: new Vendors([twilio]),
      environment: { INTEGRATIONS: JSON.stringify({ twilio: { base_url: double.origin } }) },
    });
    tenant = await stack.createTenant();
    const { accountSid, authToken } = double.openAccount();
    const { status, body } = await tenant.client.post('/connections', {
      vendor: 'twilio',
      credentials: { account_sid: accountSid, auth_token: authToken },
      settings: { from_number: '+15185550100' },
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    connectionId = body.id;
    await eventually('the connection is active', async () => {
      const connection = (await tenant.client.get(`/connections/${connectionId}`)).body;
      return connection.status === 'active' && connection.external_account === accountSid;
    });
  });
  after(async () => {
    await stack?.stop();
    await double?.stop();
  });
  afterEach(() => {
    double.misbehave = () => undefined;
    expect(double.violations).to.deep.equal([]);
  });

  /** Sends an invoice by text, and returns the phone number and the id of the message. */
  async function sendText(phone = `+1212${nextPhone++}`): Promise<{ phone: string; id: string }> {
    const invoice = await tenant.client.post('/invoices', {
      invoice_number: randomUUID().slice(0, 20),
      billing_email: 'a@example.com',
      line_items: [
        {
          name: 'Tow',
          category: 'tow',
          quantity: 1,
          unit_type: 'each',
          unit_price_cents: 12_500,
          total_cents: 12_500,
          taxable: false,
        },
      ],
    });
    await tenant.client.post(`/invoices/${invoice.body.id}/approve`, {});
    const sent = await tenant.client.post(`/invoices/${invoice.body.id}/send`, { channel: 'sms', to: phone });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const { body } = await tenant.client.get(`/messages?invoice_id=${invoice.body.id}`);
    return { phone, id: body.data.items[0].id };
  }
  const readMessage = async (id: string) => (await tenant.client.get(`/messages/${id}`)).body;
  const waitForState = (id: string, state: string) =>
    eventually(`the message is ${state}`, async () => {
      const message = await readMessage(id);
      return message.state === state && message;
    });
  async function hurry(): Promise<void> {
    for (const text of [
      'update outbound_operations set next_at = now() where next_at > now() and tenant_id = $1',
      `update connection_queues set open_until = null, throttled_until = null, opened = 0, consecutive_failures = 0
       where tenant_id = $1`,
      `update sync_states set next_at = now() where tenant_id = $1 and stream <> 'describe' and next_at > now()`,
    ])
      await stack.rows(tenant.id, text, [tenant.id]);
    const queue = openIntegrationsQueue(stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: tenant.id, connectionId }]);
  }

  it('a text leaves once, from the number of the connection, with the invoice link', async () => {
    const { phone, id } = await sendText();
    await waitForState(id, 'sent');
    const texts = double.findTexts(phone);
    expect(texts).to.have.length(1);
    expect(texts[0]?.from).to.equal('+15185550100');
    expect(texts[0]?.body).to.match(/\/i\//);
    expect(await readMessage(id)).to.include({ provider: 'twilio', channel: 'sms' });
  });

  it('a text whose answer was lost is looked for, and is not sent twice', async () => {
    let isFaulty = true;
    double.misbehave = (name) => {
      if (name !== 'POST Messages.json' || !isFaulty) return undefined;
      isFaulty = false;
      return { kind: 'cut_after' };
    };
    const { phone, id } = await sendText();
    await eventually('the text is sent', async () => {
      if (!isFaulty) await hurry();
      return (await readMessage(id)).state === 'sent';
    });
    expect(double.findTexts(phone)).to.have.length(1);
  });

  it('a 429 is safe to repeat, and the text leaves once', async () => {
    let refusals = 2;
    double.misbehave = (name) =>
      name === 'POST Messages.json' && refusals-- > 0 ? { kind: 'limit', seconds: 1 } : undefined;
    const { phone, id } = await sendText();
    await eventually('the text is sent', async () => {
      await hurry();
      return (await readMessage(id)).state === 'sent';
    });
    expect(double.findTexts(phone)).to.have.length(1);
  });

  it('a number that Twilio refuses fails the message with its reason, and is not tried again', async () => {
    const { id } = await sendText('+15005550001');
    const message = await waitForState(id, 'failed');
    expect(message.error).to.match(/not a valid phone number/);
    expect(message.attempts).to.equal(1);
  });

  it('a status callback that reports a failure fails the message', async () => {
    const { phone, id } = await sendText();
    await waitForState(id, 'sent');
    const [text] = double.findTexts(phone);
    const status = await double.report(text as never, 'undelivered', {
      origin: stack.origin,
      errorCode: 30_003,
    });
    expect(status).to.equal(200);
    const message = await waitForState(id, 'failed');
    expect(message.error).to.match(/30003/);
  });

  it('a status callback with a wrong signature is refused with 401', async () => {
    const { phone, id } = await sendText();
    await waitForState(id, 'sent');
    const [text] = double.findTexts(phone);
    const { pathname } = new URL(text?.callback ?? '');
    const response = await fetch(`${stack.origin}${pathname}`, {
      method: 'POST',
      headers: { 'x-twilio-signature': 'bm8=', 'content-type': 'application/x-www-form-urlencoded' },
      body: `MessageSid=${text?.sid}&MessageStatus=failed`,
    });
    expect(response.status).to.equal(401);
    expect((await readMessage(id)).state).to.equal('sent');
  });

  it('a failure whose callback was lost is found by the next pull', async () => {
    const { phone, id } = await sendText();
    await waitForState(id, 'sent');
    const [text] = double.findTexts(phone);
    Object.assign(text as object, { status: 'failed', error_code: 30_008 });
    await hurry();
    await waitForState(id, 'failed');
  });

  it('a late report of an earlier state changes nothing', async () => {
    const { phone, id } = await sendText();
    await waitForState(id, 'sent');
    const [text] = double.findTexts(phone);
    await double.report(text as never, 'delivered', { origin: stack.origin });
    await double.report(text as never, 'sent', { origin: stack.origin });
    Object.assign(text as object, { status: 'delivered' });
    await hurry();
    expect((await readMessage(id)).state).to.equal('sent');
    const { body } = await tenant.client.get(`/connections/${connectionId}/operations?limit=200`);
    const [operation] = body.data.items.filter(({ record_id }: { record_id: string }) => record_id === id);
    expect(operation).to.include({ state: 'done', attempts: 1 });
  });
});
