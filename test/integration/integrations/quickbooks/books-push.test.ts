import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('QuickBooks: what is released and paid is entered in the books', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  before(async () => {
    account = await booking.createAccount();
  });

  it('a sign-in connects the company that the person chose', async () => {
    const connection = await account.readConnection();
    expect(connection.external_account).to.equal(account.company.realmId);
    expect(connection.label).to.equal('Hudson Towing');
    expect(connection.webhook_url).to.match(/\/hooks\/quickbooks$/);
    expect(connection.health.token_expires_at).to.be.a('string');
  });

  it('a released invoice is entered with its number, customer, lines, accounts and tax', async () => {
    await account.client.patch('/settings', { tax_rate_bps: 825 });
    const customer = await account.createCustomer({ company_name: 'Acme: North Yard' });
    const [invoice, booked] = await account.releaseBooked({
      customerId: customer.id,
      lines: [
        line({ unit_price_cents: 12_599, taxable: true }),
        line({ name: 'Storage', category: 'storage', quantity: 2.5, unit_price_cents: 3333 }),
        line({ name: 'Discount', category: 'discount', unit_price_cents: -1099 }),
      ],
    });
    await account.client.patch('/settings', { tax_rate_bps: 0 });
    expect(Math.round(Number(booked.TotalAmt) * 100)).to.equal(invoice.total_cents);
    expect(booked.PrivateNote).to.equal(`Tow Dispatch invoice ${invoice.id}`);
    const there = account.company.get('Customer', Object(booked.CustomerRef).value);
    expect(there.DisplayName).to.equal('Acme North Yard');
    expect(there.PrimaryEmailAddr).to.deep.equal({ Address: customer.billing_email });
    const lines = booked.Line as { Amount: number; SalesItemLineDetail: { ItemRef: { value: string } } }[];
    expect(lines.map(({ Amount }) => Amount)).to.deep.equal([125.99, 83.33, -10.99]);
    const accounts = lines.map(
      ({ SalesItemLineDetail: { ItemRef } }) =>
        Object(account.company.get('Item', ItemRef.value).IncomeAccountRef).value,
    );
    const { tow, storage } = account.settings.accounts;
    expect(accounts).to.deep.equal([tow, storage, tow]);
    await account.waitForWrites();
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('GET /connections/{id}/choices lists accounts and tax codes, for this account alone', async () => {
    const path = `/connections/${account.connectionId}/choices`;
    const accounts = await eventually('the choices are read', async () => {
      const { items } = (await account.client.get(`${path}?of=account`)).body.data;
      return items.length > 0 && items;
    });
    const income = { id: account.settings.accounts.tow, name: 'Towing income', use: 'income' };
    expect(accounts).to.deep.include(income);
    expect(accounts.map(({ name }: { name: string }) => name)).to.not.include('Fuel');
    const taxes = (await account.client.get(`${path}?of=tax`)).body.data.items;
    expect(taxes).to.deep.include({ id: 'TAX', name: 'TAX', use: null });
    const other = await account.stack.createTenant();
    expect((await other.client.get(`${path}?of=tax`)).status).to.equal(404);
    expect((await account.client.get(`${path}?of=items`)).status).to.equal(400);
  });

  it('a sync since a time counts in a dry run what it would write again', async () => {
    const path = `/connections/${account.connectionId}/sync`;
    await account.waitForWrites();
    const before = account.company.list('Invoice').length;
    const body = { since: new Date(Date.now() - 3_600_000).toISOString() };
    const counted = await account.client.post(path, body, { headers: { 'X-Service-Dry-Run': 'true' } });
    expect(counted.body.data.pushed, JSON.stringify(counted.body)).to.be.greaterThan(0);
    const pushed = await account.client.post(path, body);
    expect(pushed.body.pushed).to.equal(counted.body.data.pushed);
    await account.hurry([]);
    await account.waitForWrites();
    expect(account.company.list('Invoice')).to.have.length(before);
  });

  it('a draft, and an invoice that is only approved, stay out of the books', async () => {
    const { id } = await account.createCustomer();
    const body = {
      invoice_number: 'DRAFT-1',
      customer_id: id,
      line_items: [line({ unit_price_cents: 100 })],
    };
    const draft = await account.client.post('/invoices', body);
    await account.client.post(`/invoices/${draft.body.id}/approve`, {});
    await account.releaseBooked({ customerId: id });
    expect(account.findBooked('DRAFT-1')).to.equal(undefined);
  });

  it('payments and refunds leave both sides with equal balances', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const balance = () => Number(account.company.get('Invoice', booked.Id).Balance);
    const payment = await account.pay(invoice.id, 5000, { reference: 'Check 1042' });
    await account.waitForWrites();
    expect(balance()).to.equal(75);
    const [there] = account.company
      .list('Payment')
      .filter(({ PaymentRefNum }) => PaymentRefNum === 'Check 1042');
    expect(there?.DepositToAccountRef).to.deep.equal({ value: account.settings.deposit_account });
    await account.client.post(`/payments/${payment.id}/refund`, { amount_cents: 1234, reason: 'Too much' });
    await account.hurry([]);
    await account.waitForWrites();
    expect(balance()).to.equal(87.34);
    await account.client.post(`/payments/${payment.id}/refund`, { amount_cents: 3766, reason: 'All of it' });
    await account.hurry([]);
    await account.waitForWrites();
    expect(balance()).to.equal(125);
    expect(Number(account.company.get('Payment', there?.Id).TotalAmt)).to.equal(0);
  });

  it('an overpayment is credit of the customer in the books too', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.pay(invoice.id, 15_000);
    await account.waitForWrites();
    expect(account.company.get('Invoice', booked.Id).Balance).to.equal(0);
    const there = account.company
      .list('Payment')
      .find(({ CustomerRef }) => Object(CustomerRef).value === Object(booked.CustomerRef).value);
    expect(there?.UnappliedAmt).to.equal(25);
  });

  it('a voided invoice is void in the books, and keeps its number', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.client.post(`/invoices/${invoice.id}/void`, { reason: 'Wrong truck' });
    await account.hurry([]);
    await account.waitForWrites();
    const there = account.company.get('Invoice', booked.Id);
    expect([there.TotalAmt, there.DocNumber]).to.deep.equal([0, invoice.invoice_number]);
    expect(there.PrivateNote).to.match(/^Voided/);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('an invoice that was voided before it was booked never reaches the books', async () => {
    booking.double.misbehave = () => ({ kind: 'status', status: 503 });
    const invoice = await account.release();
    await account.client.post(`/invoices/${invoice.id}/void`, { reason: 'Wrong truck' });
    booking.double.misbehave = () => undefined;
    await account.hurry([]);
    await account.waitForWrites();
    expect(account.findBooked(invoice.invoice_number)).to.equal(undefined);
  });

  it('an invoice that only names an email is billed to a customer of that email', async () => {
    const [, booked] = await account.releaseBooked({
      members: { customer_id: null, billing_email: 'walk-in@example.com' },
    });
    const there = account.company.get('Customer', Object(booked.CustomerRef).value);
    expect(there.DisplayName).to.equal('walk-in@example.com');
  });

  it('a customer who is in the books already is linked, and not created again', async () => {
    const known = account.company.put('Customer', { DisplayName: 'Harbor Garage', Active: true });
    const { id } = await account.createCustomer({ company_name: 'harbor garage' });
    const [, booked] = await account.releaseBooked({ customerId: id });
    expect(Object(booked.CustomerRef).value).to.equal(known.Id);
  });
});
