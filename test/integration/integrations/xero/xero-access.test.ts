import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { XeroPerson } from '../../../support/vendors/doubles/xero/sign-ins.js';
import { useXeroStack } from '../../../support/vendors/xero-booking.js';

describe('Xero: the access to organisations', () => {
  requireContracts();
  const booking = useXeroStack();

  it('an access token that ends early is renewed once, and the refresh token rotates', async () => {
    const account = await booking.createAccount();
    for (let nth = 0; nth < 2; nth++) {
      booking.double.signIns.grants.expireAccess(account.person);
      const invoice = await account.release();
      await account.waitForBooked(invoice.invoice_number);
    }
    expect((await account.readConnection()).status).to.equal('active');
  });

  it('an access that was ended at Xero asks for a new sign-in, and then everything is written', async () => {
    const account = await booking.createAccount();
    booking.double.signIns.grants.endAccess(account.person);
    const invoice = await account.release();
    await eventually('the connection needs a sign-in', async () => {
      await account.hurry([]);
      return (await account.readConnection()).status === 'needs_reauth';
    });
    const { body } = await account.client.post(`/connections/${account.connectionId}/reconnect`, {});
    await account.permit(body.authorize_url);
    await account.waitForStatus('active');
    await account.settle();
    expect(account.findBooked(invoice.invoice_number)?.Total).to.equal(125);
  });

  it('one person connects two organisations, and disconnecting one leaves the other its access', async () => {
    const person = new XeroPerson();
    const first = await booking.createAccount(person);
    const second = await booking.createAccount(person);
    for (const account of [first, second])
      expect((await account.readConnection()).external_account).to.equal(account.organisation.tenantId);
    await first.disconnect();
    expect(person.reached.map(({ organisation }) => organisation)).to.deep.equal([second.organisation]);
    const [, booked] = await second.releaseBooked();
    expect(booked.Total).to.equal(125);
    const secrets = 'select from connection_secrets where connection_id = $1';
    await eventually('the secrets are gone', async () => {
      return (await first.stack.rows(first.tenant.id, secrets, [first.connectionId])).length === 0;
    });
  });

  it('a disconnection after the access token has ended renews it, and then ends the access', async () => {
    const account = await booking.createAccount();
    booking.double.signIns.grants.expireAccess(account.person);
    const text = 'update connection_secrets set access_expires_at = now() where connection_id = $1';
    await account.stack.rows(account.tenant.id, text, [account.connectionId]);
    await account.disconnect();
    expect(account.person.reached).to.deep.equal([]);
  });

  it('a sign-in for another organisation does not write into the books of that one', async () => {
    const account = await booking.createAccount();
    const other = booking.double.openOrganisation('Other Towing');
    await account.pullAll();
    await account.waitForNotices();
    const { body } = await account.client.post(`/connections/${account.connectionId}/reconnect`, {});
    const back = new URL(booking.double.signIns.permit(body.authorize_url, other, account.person));
    // The person has taken the access to the first organisation away.
    account.person.reached.splice(0, 1);
    await fetch(`${account.stack.origin}${back.pathname}${back.search}`, { method: 'POST' });
    const connection = await account.waitForStatus('needs_reauth');
    expect(connection.status_reason).to.contain('another account');
    expect(connection.external_account).to.equal(account.organisation.tenantId);
  });

  it('a new connection to the same organisation enters nothing twice', async () => {
    const account = await booking.createAccount();
    const [invoice, booked] = await account.releaseBooked();
    await account.pay(invoice.id, 5000);
    await account.settle();
    await account.disconnect();
    const missed = await account.release();
    await account.connect();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await account.client.post(`/connections/${account.connectionId}/sync`, { since });
    await account.settle();
    await account.pullAll();
    await account.settle();
    expect(account.organisation.list('Invoices')).to.have.length(2);
    expect(account.findBooked(missed.invoice_number)?.Total).to.equal(125);
    expect(account.listOpen(booked)).to.have.length(1);
    expect(await account.listPayments(invoice.id)).to.have.length(1);
    expect((await account.client.get('/sync-issues?status=open')).body.data.items).to.deep.equal([]);
  });
});
