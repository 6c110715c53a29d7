import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { XeroPerson } from '../../../support/vendors/doubles/xero/sign-ins.js';
import { useXeroStack, XeroAccount } from '../../../support/vendors/xero-booking.js';

describe('Xero: what is released and paid is entered in the books', () => {
  requireContracts();
  const booking = useXeroStack();
  let account: XeroAccount;
  before(async () => {
    account = await booking.createAccount();
  });

  const findContact = (invoice: Record<string, unknown>) =>
    account.organisation.get('Contacts', Object(invoice.Contact).ContactID);

  it('a sign-in connects the organisation that the person chose', async () => {
    const connection = await account.readConnection();
    expect(connection.external_account).to.equal(account.organisation.tenantId);
    expect(connection.label).to.equal('Hudson Towing');
    expect(connection.webhook_url).to.match(/\/hooks\/xero$/);
    expect(connection.scopes).to.include('offline_access');
    // The token endpoint does not say that a refresh token lives for 60 days.
    const [secrets] = await account.stack.rows<{ days: number }>(
      account.tenant.id,
      `select extract(day from refresh_expires_at - now())::int as days from connection_secrets where connection_id = $1`,
      [account.connectionId],
    );
    expect(secrets?.days).to.equal(59);
  });

  it('a released invoice is entered with its number, customer, lines, accounts and tax', async () => {
    await account.client.patch('/settings', { tax_rate_bps: 825 });
    const customer = await account.createCustomer({ company_name: 'Acme: North Yard' });
    const [invoice, booked] = await account.releaseBooked({
      customerId: customer.id,
      members: { po_number: '4711' },
      lines: [
        line({ unit_price_cents: 12_599, taxable: true }),
        line({ unit_price_cents: 3333, taxable: true }),
        line({ unit_price_cents: 3333, taxable: true }),
        line({ name: 'Storage', category: 'storage', quantity: 2.5, unit_price_cents: 3333 }),
        line({ name: 'Discount', category: 'discount', unit_price_cents: -1099 }),
      ],
    });
    await account.client.patch('/settings', { tax_rate_bps: 0 });
    expect(Math.round(Number(booked.Total) * 100)).to.equal(invoice.total_cents);
    // Xero would round each of these lines by itself, and get another total.
    expect(Math.round(Number(booked.TotalTax) * 100)).to.equal(invoice.tax_cents);
    expect(booked).to.include({
      Status: 'AUTHORISED',
      Reference: 'PO 4711',
      LineAmountTypes: 'Exclusive',
      Url: `${new URL((await account.readConnection()).webhook_url).origin}/app/invoices/${invoice.id}`,
    });
    expect(findContact(booked)).to.include({
      Name: 'Acme: North Yard',
      EmailAddress: customer.billing_email,
      ContactNumber: customer.id,
    });
    const lines = booked.LineItems as Record<string, unknown>[];
    expect(lines.map(({ LineAmount }) => LineAmount)).to.deep.equal([125.99, 33.33, 33.33, 83.33, -10.99]);
    expect(lines.map(({ AccountCode }) => AccountCode)).to.deep.equal(['200', '200', '200', '210', '200']);
    expect(lines.map(({ TaxType }) => TaxType)).to.deep.equal(['OUTPUT', 'OUTPUT', 'OUTPUT', 'NONE', 'NONE']);
    expect(lines[3]?.Description).to.equal('Storage (2.5 × 33.33)');
    await account.waitForWrites();
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('GET /connections/{id}/choices lists accounts and tax types', async () => {
    const path = `/connections/${account.connectionId}/choices`;
    const accounts = await eventually('the choices are read', async () => {
      const { items } = (await account.client.get(`${path}?of=account`)).body.data;
      return items.length > 0 && items;
    });
    expect(accounts).to.deep.include({ id: '200', name: '200 Towing income', use: 'income' });
    const deposit = { id: account.settings.deposit_account, name: '090 Checking', use: 'deposit' };
    expect(accounts).to.deep.include(deposit);
    expect(JSON.stringify(accounts)).to.not.contain('Fuel');
    const taxes = (await account.client.get(`${path}?of=tax`)).body.data.items;
    expect(taxes).to.deep.include({ id: 'OUTPUT', name: 'Sales tax', use: null });
  });

  it('a sync since a time writes nothing twice', async () => {
    await account.waitForWrites();
    const before = account.organisation.list('Invoices').length;
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const pushed = await account.client.post(`/connections/${account.connectionId}/sync`, { since });
    expect(pushed.body.pushed).to.be.greaterThan(0);
    await account.settle();
    expect(account.organisation.list('Invoices')).to.have.length(before);
  });

  it('payments and refunds leave both sides with equal balances', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const due = () => Number(account.readBooked(booked).AmountDue);
    const payment = await account.pay(invoice.id, 5000, { reference: 'Check 1042' });
    await account.waitForWrites();
    expect(due()).to.equal(75);
    const [there] = account.listOpen(booked);
    expect(there?.Reference).to.equal(`Check 1042 · Tow Dispatch payment ${payment.id}`);
    expect(Object(there?.Account).AccountID).to.equal(account.settings.deposit_account);
    for (const [amount_cents, rest] of [
      [1234, 87.34],
      [3766, 125],
    ]) {
      await account.client.post(`/payments/${payment.id}/refund`, { amount_cents, reason: 'Too much' });
      await account.settle();
      expect(due()).to.equal(rest);
    }
    await account.waitForNotices();
    await account.pullAll();
    expect(account.listOpen(booked)).to.deep.equal([]);
    expect(await account.listPayments(invoice.id)).to.have.length(1);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('of an overpayment, the books get what counts for the invoice', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.pay(invoice.id, 15_000);
    await account.waitForWrites();
    expect(account.readBooked(booked)).to.include({ Status: 'PAID', AmountDue: 0, AmountPaid: 125 });
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a voided invoice is void in the books, and keeps its number', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.client.post(`/invoices/${invoice.id}/void`, { reason: 'Wrong truck' });
    await account.settle();
    expect(account.readBooked(booked)).to.include({
      Status: 'VOIDED',
      InvoiceNumber: invoice.invoice_number,
    });
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a draft there is deleted by a void, because Xero voids approved invoices alone', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.waitForWrites();
    account.organisation.put('Invoices', { InvoiceID: booked.InvoiceID, Status: 'DRAFT' });
    await account.waitForNotices();
    await account.client.post(`/invoices/${invoice.id}/void`, { reason: 'Wrong truck' });
    await account.settle();
    expect(account.readBooked(booked).Status).to.equal('DELETED');
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a customer who is in the books already is linked by name or email, and not created again', async () => {
    const put = (members: object) =>
      account.organisation.put('Contacts', { ContactStatus: 'ACTIVE', ...members });
    const named = put({ Name: 'Harbor Garage' });
    const mailed = put({ Name: 'H. Smith', EmailAddress: 'smith@harbor.example.com' });
    put({ Name: 'Archived Yard', ContactStatus: 'ARCHIVED' });
    for (const [members, id] of [
      [{ company_name: 'harbor garage' }, named.ContactID],
      [{ company_name: 'Smith Towing', billing_email: 'smith@harbor.example.com' }, mailed.ContactID],
    ] as const) {
      const { id: customerId } = await account.createCustomer(members);
      const [, booked] = await account.releaseBooked({ customerId });
      expect(Object(booked.Contact).ContactID).to.equal(id);
    }
  });

  it('a customer is linked by the contact number, which is our id, before name and email', async () => {
    const billing_email = `number-${account.connectionId}@harbor.example.com`;
    const { id: customerId } = await account.createCustomer({ company_name: 'Numbered Yard', billing_email });
    const put = (members: object) =>
      account.organisation.put('Contacts', { ContactStatus: 'ACTIVE', ...members });
    put({ Name: 'Numbered Yard' });
    put({ Name: 'Mailed Yard', EmailAddress: billing_email });
    const numbered = put({ Name: 'Renamed by the bookkeeper', ContactNumber: customerId });
    const before = account.organisation.count('Contacts');
    const [, booked] = await account.releaseBooked({ customerId });
    expect(Object(booked.Contact).ContactID).to.equal(numbered.ContactID);
    expect(account.organisation.count('Contacts')).to.equal(before);
  });

  it('an email that two contacts share links nobody', async () => {
    const billing_email = `shared-${account.connectionId}@harbor.example.com`;
    for (const Name of ['Office one', 'Office two'])
      account.organisation.put('Contacts', { Name, EmailAddress: billing_email, ContactStatus: 'ACTIVE' });
    const { id: customerId } = await account.createCustomer({ company_name: 'Shared Yard', billing_email });
    const [, booked] = await account.releaseBooked({ customerId });
    const { ContactID } = Object(booked.Contact);
    expect(account.organisation.get('Contacts', ContactID)).to.include({
      Name: 'Shared Yard',
      ContactNumber: customerId,
    });
  });

  it('a preview names the numbers that other invoices have, but not those of void ones and of bills', async () => {
    const fresh = new XeroAccount(booking, await booking.stack.createTenant(), new XeroPerson());
    const numbers: string[] = [];
    for (let count = 0; count < 3; count += 1)
      numbers.push((await fresh.release({ hurries: false })).invoice_number);
    const { ContactID } = fresh.organisation.put('Contacts', { Name: 'Else', ContactStatus: 'ACTIVE' });
    const enter = (InvoiceNumber: string | undefined, members: object) =>
      fresh.organisation.put('Invoices', {
        Type: 'ACCREC',
        InvoiceNumber,
        Contact: { ContactID },
        Status: 'AUTHORISED',
        Total: 1,
        LineItems: [],
        ...members,
      });
    enter(numbers[0], {});
    enter(numbers[1], { Status: 'VOIDED' });
    enter(numbers[2], { Type: 'ACCPAY' });
    await fresh.connect();
    await fresh.pullAll();
    const { body } = await fresh.client.get(`/connections/${fresh.connectionId}/booking-preview`);
    expect(body.conflicts.map(({ code, message }: Json) => [code, message])).to.deep.equal([
      ['number_taken', `Other invoices in the books have the numbers ${numbers[0]}.`],
    ]);
  });

  it('customers of the same name get names of their own, also after a lost answer', async () => {
    const company_name = `Twin ${account.connectionId.slice(0, 8)}`;
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.push((await account.createCustomer({ company_name })).id);
    for (const customerId of ids.slice(0, 2)) await account.releaseBooked({ customerId });
    let writes = 0;
    // The second write is that of the free name.
    booking.double.misbehave = (name) =>
      name === 'PUT Contacts' && ++writes === 2 ? { kind: 'cut_after' } : undefined;
    await account.release({ customerId: ids[2] as string });
    await account.settle();
    await account.settle();
    const names = account.organisation.list('Contacts').map(({ Name }) => String(Name));
    const own = (id: string | undefined) => `${company_name} (${id?.slice(-8)})`;
    expect(names.filter((name) => name.startsWith(company_name))).to.deep.equal([
      company_name,
      own(ids[1]),
      own(ids[2]),
    ]);
  });

  it('an invoice that only names an email is billed to a contact of that email', async () => {
    const members = { customer_id: null, billing_email: 'walk-in@example.com' };
    const [, booked] = await account.releaseBooked({ members });
    expect(findContact(booked).Name).to.equal('walk-in@example.com');
  });

  it('a preview names the account for payments that is missing, or that Xero does not list', async () => {
    const path = `/connections/${account.connectionId}`;
    const { deposit_account: _deposit, ...settings } = account.settings;
    await account.client.patch(path, { settings });
    const readCodes = async () => {
      const { conflicts } = (await account.client.get(`${path}/booking-preview`)).body;
      return conflicts.map(({ code, payments }: { code: string; payments: number }) => [code, payments > 0]);
    };
    expect(await readCodes()).to.deep.equal([['no_deposit_account', true]]);
    await account.client.patch(path, { settings: { ...settings, deposit_account: 'gone' } });
    expect(await readCodes()).to.deep.equal([['unknown_deposit_account', true]]);
    await account.client.patch(path, { settings: account.settings });
    expect(await readCodes()).to.deep.equal([]);
  });
});
