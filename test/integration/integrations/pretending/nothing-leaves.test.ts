/**
 * A sandbox pretends payments and texts, also if its live account is connected to Stripe and
 * Twilio. The process then connects to its own stores and to nothing else.
 */
import { expect } from 'chai';
import { Vendors } from '../../../../shared/integrations/contract/vendor.js';
import { smtp } from '../../../../shared/integrations/smtp/adapter.js';
import { stripe } from '../../../../shared/integrations/stripe/adapter.js';
import { twilio } from '../../../../shared/integrations/twilio/adapter.js';
import { PRETEND_READER_ID } from '../../../../shared/resources/terminal-readers/pretend-reader.js';
import { chargeDue } from '../../../support/billing/paying-customer.js';
import type { Json, TestClient } from '../../../support/client.js';
import { recordConnections } from '../../../support/network/record-connections.js';
import { eventually } from '../../../support/poll.js';
import { TestStack, type TestTenant } from '../../../support/stack.js';
import { createApprovedInvoice } from '../../../support/vendors/approved-invoice.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { StripeDouble } from '../../../support/vendors/doubles/stripe/stripe-double.js';
import { TwilioDouble } from '../../../support/vendors/doubles/twilio/twilio-double.js';

const CUSTOMER = { company_name: 'Riverside Motors', billing_email: 'a@example.com' };

describe('a sandbox whose live account is connected to Stripe and Twilio', () => {
  requireContracts();
  let stack: TestStack;
  let stripeDouble: StripeDouble;
  let twilioDouble: TwilioDouble;
  let tenant: TestTenant;
  /** The connections that the process made when the live account was connected. */
  let connecting: string[];

  before(async () => {
    stripeDouble = await new StripeDouble().start();
    twilioDouble = await new TwilioDouble().start();
    stack = await TestStack.start({
      integrations: true,
      webhooks: true,
      vendors: new Vendors([smtp, stripe, twilio]),
      environment: {
        INTEGRATIONS: JSON.stringify({
          stripe: { base_url: stripeDouble.origin },
          twilio: { base_url: twilioDouble.origin },
        }),
      },
    });
    tenant = await stack.createTenant();
    const recorded = recordConnections();
    await connectLiveAccount().finally(recorded.stop);
    connecting = recorded.targets;
  });
  after(async () => {
    await stack?.stop();
    await stripeDouble?.stop();
    await twilioDouble?.stop();
  });

  async function connectLiveAccount(): Promise<void> {
    const { key } = stripeDouble.openAccount();
    const { accountSid, authToken } = twilioDouble.openAccount();
    for (const body of [
      { vendor: 'stripe', credentials: { secret_key: key } },
      {
        vendor: 'twilio',
        credentials: { account_sid: accountSid, auth_token: authToken },
        settings: { from_number: '+15185550100' },
      },
    ])
      expect((await tenant.client.post('/connections', body)).status).to.equal(201);
    await eventually('both connections have read everything', async () => {
      const due = 'select from sync_states where tenant_id = $1 and next_at <= now()';
      const { body } = await tenant.client.get('/connections?status=active');
      return body.data.items.length === 2 && (await stack.rows(tenant.id, due, [tenant.id])).length === 0;
    });
  }

  const post = async (client: TestClient, path: string, body: object = {}): Promise<Json> => {
    const response = await client.post(path, body);
    expect(response.status, `${path}: ${response.text}`).to.be.oneOf([200, 201, 202]);
    return response.body;
  };
  const press = async (url: string, choice: Record<string, string>) => {
    const { pathname } = new URL(url);
    const init = { method: 'POST', redirect: 'manual', body: new URLSearchParams(choice) } as const;
    expect((await fetch(`${stack.origin}${pathname}`, init)).status).to.be.oneOf([200, 303]);
  };
  const waitUntilPaid = (client: TestClient, id: string) =>
    eventually('the invoice is paid', async () => {
      const { body } = await client.get(`/invoices/${id}`);
      return body.status === 'paid';
    });
  const createInvoice = (client: TestClient, members: object = { billing_email: 'a@example.com' }) =>
    createApprovedInvoice(client, 9000, members);

  /** Pays by link, on a reader and by autopay, refunds, and sends texts and mails. */
  async function useEverything(client: TestClient): Promise<void> {
    const linked = await createInvoice(client);
    await press((await post(client, `/invoices/${linked}/pay-link`)).url, { outcome: 'card' });
    await waitUntilPaid(client, linked);
    const [payment] = (await client.get(`/invoices/${linked}/payments`)).body.data.items;
    await post(client, `/payments/${payment.id}/refund`, { amount_cents: 100, reason: 'Test' });

    const tapped = await createInvoice(client);
    const reading = { reader_id: PRETEND_READER_ID };
    const { pretend_url } = await post(client, `/invoices/${tapped}/terminal-payments`, reading);
    await press(pretend_url, { outcome: 'tap' });
    await waitUntilPaid(client, tapped);

    const customer = await post(client, '/customers', CUSTOMER);
    const method = await post(client, `/customers/${customer.id}/payment-methods`);
    await press(method.url, { method: 'works' });
    const autopay = { payment_method_id: method.id, when: 'release' };
    expect((await client.patch(`/customers/${customer.id}`, { autopay })).status).to.equal(200);
    const charged = await createInvoice(client, { customer_id: customer.id });
    await post(client, `/invoices/${charged}/send`);
    await eventually('the invoice is charged', async () => {
      await chargeDue(stack);
      await chargeDue(stack, 'charge-pretend-methods');
      return (await client.get(`/invoices/${charged}`)).body.status === 'paid';
    });

    const texted = await createInvoice(client);
    await post(client, `/invoices/${texted}/send`, { channel: 'sms', to: '+15185550122' });
    const text = await post(client, '/messages', { to: '+15185550123', text: 'Hello' });
    expect((await client.get(`/messages/${text.id}`)).body).to.include({ state: 'sent', provider: 'outbox' });
  }

  const readPort = (target: string) => target.split(':').at(-1) ?? '';
  /** What the vendors have received so far. A kept connection would bring it too. */
  const readTraffic = () => [
    stripeDouble.calls.length,
    twilioDouble.calls.length,
    stripeDouble.traffic.received,
    twilioDouble.traffic.received,
  ];

  it('pays, refunds, charges and texts without a connection to a vendor, and sends nothing to one', async () => {
    const before = readTraffic();
    const ownPorts = [stack.origin, stack.databaseUrl, stack.redisUrl].flatMap((url) =>
      url === undefined ? [] : [new URL(url).port],
    );
    const recorded = recordConnections();
    await useEverything(tenant.sandbox).finally(recorded.stop);
    expect(recorded.targets.filter((target) => !ownPorts.includes(readPort(target)))).to.deep.equal([]);
    expect(readTraffic()).to.deep.equal(before);
  });

  it('the same checks see what the live account sends', async () => {
    const before = readTraffic();
    const id = await createInvoice(tenant.client);
    await post(tenant.client, `/invoices/${id}/pay-link`);
    const { id: textId } = await post(tenant.client, '/messages', { to: '+15185550124', text: 'Hello' });
    await eventually('the text has left', async () => {
      const { body } = await tenant.client.get(`/messages/${textId}`);
      return body.state === 'sent' && body.provider === 'twilio';
    });
    readTraffic().forEach((amount, index) => {
      expect(amount).to.be.above(before[index] ?? 0);
    });
    const ports = connecting.map(readPort);
    expect(ports).to.include.members([stripeDouble, twilioDouble].map(({ origin }) => new URL(origin).port));
  });
});
