import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../../../support/expect-error.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('Stripe by a sign-in', () => {
  requireContracts();
  const paying = usePayingStack();

  const openAccount = async (mode: 'live' | 'test' = 'live') =>
    new PayingAccount(
      paying.stack,
      paying.double,
      await paying.stack.createTenant(),
      `sk_${mode}_${randomUUID().replaceAll('-', '')}`,
    );

  it('an account connects without a key, and customers pay on pages of its own Stripe account', async () => {
    const account = await openAccount();
    const connection = await account.signIn();
    expect(connection.label).to.equal('billing@hudson-towing.example');
    expect(new URL(connection.webhook_url).pathname).to.equal('/hooks/stripe');
    const id = await account.createInvoice(5000);
    const { url } = await account.openPayLink(id);
    const [owner] = paying.double.findSession(url);
    expect(owner.id).to.equal(account.vendor.id);
    paying.double.pay(url);
    await account.waitForInvoice(id, 'paid');
  });

  it('webhooks of the application reach the account that they name, and no other', async () => {
    const [first, second] = [await openAccount(), await openAccount()];
    await first.signIn();
    await second.signIn();
    const id = await first.createInvoice(5100);
    paying.double.pay((await first.openPayLink(id)).url);
    await first.waitForInvoice(id, 'paid');
    expect((await second.client.get('/payments')).body.data?.items ?? []).to.deep.equal([]);
    const text = 'select from inbound_notices where tenant_id = $1';
    expect(await paying.stack.rows(second.tenant.id, text, [second.tenant.id])).to.deep.equal([]);
  });

  it('a webhook of the application with a wrong signature is refused', async () => {
    const response = await fetch(`${paying.stack.origin}/hooks/stripe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' },
      body: '{}',
    });
    expect(response.status).to.equal(401);
  });

  it('an access that was withdrawn at Stripe needs a new sign-in, and what waits is then done', async () => {
    const account = await openAccount();
    await account.signIn();
    paying.double.signIns.deauthorize(account.vendor.id);
    await account.client.post(`/connections/${account.connectionId}/test`);
    // The status changes only after the vendor has refused twice, with a wait in between.
    const found = await eventually('a person must sign in', async () => {
      await account.hurry([]);
      const { body } = await account.client.get(`/connections/${account.connectionId}`);
      return body.status === 'needs_reauth' && body;
    });
    expect(found.status_reason).to.be.a('string');
    const notices = await account.client.get('/notices');
    expect(notices.body.data.items.map(({ kind }: { kind: string }) => kind)).to.include(
      'connection_needs_reauth',
    );
    const again = await account.client.post(`/connections/${account.connectionId}/reconnect`);
    expect((await account.permit(again.body.authorize_url)).status).to.equal(200);
    // The vendor's refusals caused a long wait. `hurry` ends this wait.
    await eventually('the connection is active', async () => {
      await account.hurry([]);
      const { body } = await account.client.get(`/connections/${account.connectionId}`);
      return body.status === 'active';
    });
  });

  it('disconnecting withdraws the access at Stripe', async () => {
    const account = await openAccount();
    await account.signIn();
    const isOpen = () => [...paying.double.signIns.accounts.values()].includes(account.vendor);
    expect(isOpen()).to.equal(true);
    await account.client.delete(`/connections/${account.connectionId}`);
    await eventually('the access is withdrawn', () => !isOpen());
  });

  it('a test account is refused in a live account', async () => {
    const account = await openAccount('test');
    const { body } = await account.client.post('/connections', { vendor: 'stripe' });
    account.connectionId = body.id;
    await account.permit(body.authorize_url);
    const refused = await account.waitForStatus('needs_reauth');
    expect(refused.status_reason).to.contain('These are sandbox credentials');
  });

  it('GET /integrations says that Stripe offers a sign-in, and Twilio does not', async () => {
    const account = await openAccount();
    const { body } = await account.client.get('/integrations');
    const offers = body.data.items.map((one: { vendor: string; sign_in: boolean }) => [
      one.vendor,
      one.sign_in,
    ]);
    expect(Object.fromEntries(offers)).to.include({ stripe: true });
    const empty = await account.client.post('/connections', { vendor: 'stripe', credentials: {} });
    expectError(empty, 400, 'validation_error');
  });
});
