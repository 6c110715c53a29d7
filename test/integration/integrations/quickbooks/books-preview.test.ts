import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('QuickBooks: a preview names what a sync would write', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  let since: string;

  before(async () => {
    account = await booking.createAccount();
    since = new Date(Date.now() - 60_000).toISOString();
  });

  const preview = async (from = since) => {
    const query = new URLSearchParams({ since: from });
    const { status, body } = await account.client.get(
      `/connections/${account.connectionId}/booking-preview?${query}`,
    );
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const setUp = async (settings: object) => {
    const { status } = await account.client.patch(`/connections/${account.connectionId}`, { settings });
    expect(status).to.equal(200);
  };

  it('without invoices, it counts none', async () => {
    expect(await preview()).to.deep.equal({
      since,
      invoices: 0,
      booked_invoices: 0,
      invoiced_cents: 0,
      payments: 0,
      received_cents: 0,
      new_customers: 0,
      categories: [],
      conflicts: [],
    });
  });

  it('it counts invoices, payments and new customers, as the dry run of the sync does', async () => {
    const customer = await account.createCustomer();
    const [first] = await account.releaseBooked({ customerId: customer.id });
    await account.pay(first.id, 2500);
    await account.waitForWrites();
    const storage = { name: 'Storage', category: 'storage', unit_price_cents: 4000 };
    const second = await account.release({ lines: [line({ unit_price_cents: 1000 }), line(storage)] });
    const [voided] = await account.releaseBooked();
    await account.client.post(`/invoices/${voided.id}/void`, { reason: 'Entered twice' });
    await account.settle();
    // Forget that the second customer is in the books, as if the books were connected only now.
    await account.stack.rows(
      account.tenant.id,
      'delete from external_ids where tenant_id = $1 and local_id = $2',
      [account.tenant.id, second.customer_id],
    );
    const found = await preview();
    expect(found).to.include({
      invoices: 2,
      booked_invoices: 2,
      invoiced_cents: 17_500,
      payments: 1,
      received_cents: 2500,
      new_customers: 1,
    });
    const { tow, storage: storageAccount } = account.settings.accounts;
    expect(found.categories).to.deep.equal([
      { category: 'tow', account: tow, invoices: 2, total_cents: 13_500 },
      { category: 'storage', account: storageAccount, invoices: 1, total_cents: 4000 },
    ]);
    const path = `/connections/${account.connectionId}/sync`;
    const headers = { 'X-Service-Dry-Run': 'true' };
    const counted = await account.client.post(path, { since }, { headers });
    // A sync looks at the void invoice too, because the books had it.
    expect(counted.body.data.pushed).to.equal(found.invoices + found.payments + 1);
    expect((await preview(new Date(Date.now() + 60_000).toISOString())).invoices).to.equal(0);
  });

  it('it names each category without an account, a missing tax code and numbers that are too long', async () => {
    await account.client.patch('/settings', { tax_rate_bps: 1000 });
    await setUp({ accounts: { tow: account.settings.accounts.tow } });
    const winching = { name: 'Winching', category: 'winching', unit_price_cents: 9000, taxable: true };
    await account.release({ lines: [line(winching)], members: { invoice_number: 'N'.repeat(22) } });
    await account.client.patch('/settings', { tax_rate_bps: 0 });
    const { conflicts, categories } = await preview();
    expect(categories[0]).to.deep.equal({
      category: 'tow',
      account: account.settings.accounts.tow,
      invoices: 2,
      total_cents: 13_500,
    });
    expect(conflicts).to.deep.equal([
      {
        code: 'no_account',
        invoices: 2,
        payments: 0,
        message: 'No income account is chosen for winching, storage.',
      },
      { code: 'no_tax_code', invoices: 1, payments: 0, message: 'No tax code is chosen for taxed lines.' },
      {
        code: 'number_too_long',
        invoices: 1,
        payments: 0,
        message: 'The vendor accepts invoice numbers of 21 characters. Enter longer ones there yourself.',
      },
    ]);
  });

  it('it names accounts and tax codes that the vendor does not list', async () => {
    await eventually('the choices are read', async () => {
      const path = `/connections/${account.connectionId}/choices?of=tax`;
      return (await account.client.get(path)).body.data.items.length > 0;
    });
    const { tow } = account.settings.accounts;
    await setUp({ accounts: { tow: '99999', storage: tow, winching: tow }, tax_codes: { taxable: 'GONE' } });
    const { conflicts } = await preview();
    expect(conflicts.slice(0, 2)).to.deep.equal([
      {
        code: 'unknown_account',
        invoices: 2,
        payments: 0,
        message: 'The vendor does not list the account of tow any more.',
      },
      {
        code: 'unknown_tax_code',
        invoices: 1,
        payments: 0,
        message: 'The vendor does not list a chosen tax code any more.',
      },
    ]);
  });

  it('before the first sync, it names the numbers that other invoices in the books have', async () => {
    const fresh = new BookingAccount(booking.stack, booking.double, await booking.stack.createTenant());
    const [first, second, entered] = [
      await fresh.release({ hurries: false }),
      await fresh.release({ hurries: false }),
      await fresh.release({ hurries: false }),
    ];
    const enter = (DocNumber: string, PrivateNote?: string) =>
      fresh.company.put('Invoice', {
        DocNumber,
        TotalAmt: 1,
        CustomerRef: { value: '1' },
        Line: [],
        ...(PrivateNote ? { PrivateNote } : {}),
      });
    const foreign = enter(first.invoice_number.toUpperCase());
    // An earlier connection has entered this one, so the sync links it.
    enter(entered.invoice_number, `Tow Dispatch invoice ${entered.id}`);
    await fresh.connect();
    await fresh.pullAll();
    const read = async () =>
      (await fresh.client.get(`/connections/${fresh.connectionId}/booking-preview`)).body;
    const { invoices, conflicts } = await read();
    expect(invoices).to.equal(3);
    expect(conflicts).to.deep.equal([
      {
        code: 'number_taken',
        invoices: 1,
        payments: 0,
        message: `Other invoices in the books have the numbers ${first.invoice_number}.`,
      },
    ]);
    expect(conflicts[0].message).to.not.include(second.invoice_number);
    fresh.company.remove('Invoice', foreign.Id);
    await fresh.pullAll();
    expect((await read()).conflicts).to.deep.equal([]);
    expect(fresh.company.count('Invoice'), 'a preview enters nothing').to.equal(1);
  });

  it('another account cannot read it, and a connection that keeps no books writes nothing', async () => {
    const other = await account.stack.createTenant();
    const path = `/connections/${account.connectionId}/booking-preview?since=${since}`;
    expect((await other.client.get(path)).status).to.equal(404);
    expect(
      (await account.client.get('/connections/none/booking-preview?since=2026-01-01T00:00:00Z')).status,
    ).to.equal(404);
    // Only the kind tells a connection to books from others.
    const setKind = (kind: string) =>
      account.stack.rows(account.tenant.id, 'update connections set kind = $2 where tenant_id = $1', [
        account.tenant.id,
        kind,
      ]);
    await setKind('messaging');
    expect((await account.client.get(path)).body).to.deep.include({
      invoices: 0,
      payments: 0,
      conflicts: [],
    });
    await setKind('accounting');
    expect((await account.client.get(path)).status).to.equal(200);
    const wrong = await account.client.get(`/connections/${account.connectionId}/booking-preview?since=soon`);
    expect(wrong.status).to.equal(400);
    expect(wrong.body.error.details[0].field).to.equal('since');
  });

  it('without since, it covers 90 days', async () => {
    const { body } = await account.client.get(`/connections/${account.connectionId}/booking-preview`);
    expect(Date.now() - Date.parse(body.since)).to.be.within(90 * 86_400_000, 90 * 86_400_000 + 60_000);
    expect(body.invoices).to.equal(3);
  });
});
