import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { BooksRecord } from '../../../support/vendors/doubles/quickbooks/books-record.js';

describe('QuickBooks: every invoice has a customer in the books', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  beforeEach(async () => {
    account = await booking.createAccount();
  });

  const listNames = () => account.company.list('Customer').map(({ DisplayName }) => String(DisplayName));

  /** Releases an invoice without a customer whose email was removed after the approval. */
  async function releaseToNobody(): Promise<[Json, BooksRecord]> {
    const { body } = await account.client.post('/invoices', {
      invoice_number: randomUUID().slice(0, 20),
      billing_email: 'somebody@example.com',
      line_items: [line({ unit_price_cents: 12_500 })],
    });
    await account.client.post(`/invoices/${body.id}/approve`, {});
    await account.client.patch(`/invoices/${body.id}`, { billing_email: null });
    const sent = await account.client.post(`/invoices/${body.id}/send`, { to: 'somebody@example.com' });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    await account.hurry([]);
    return [sent.body, await account.waitForBooked(body.invoice_number)];
  }

  it('invoices that name nobody are billed to one walk-in customer, and their payments are entered', async () => {
    const [first, booked] = await releaseToNobody();
    const [, second] = await releaseToNobody();
    await account.pay(first.id, 12_500);
    await account.settle();
    expect(listNames()).to.deep.equal(['Walk-in customer']);
    expect(second.CustomerRef).to.deep.equal(booked.CustomerRef);
    expect(account.company.get('Invoice', booked.Id).Balance).to.equal(0);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('an invoice that is voided while the books are disconnected is voided there after a sync', async () => {
    const [first, one] = await account.releaseBooked();
    const [second, two] = await account.releaseBooked();
    await account.settle();
    await account.disconnect();
    await account.client.post(`/invoices/${first.id}/void`, { reason: 'Wrong truck' });
    await account.connect();
    await account.client.post(`/invoices/${second.id}/void`, { reason: 'Wrong truck' });
    await account.settle();
    expect(account.company.get('Invoice', two.Id).TotalAmt).to.equal(0);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    await account.client.post(`/connections/${account.connectionId}/sync`, { since });
    await account.settle();
    expect(account.company.get('Invoice', one.Id).TotalAmt).to.equal(0);
    // A read between the reconnection and the sync may have found the difference.
    await account.waitForAgreement();
  });

  it('a customer of the bookkeeper with that name is used', async () => {
    const { Id } = account.company.put('Customer', { DisplayName: 'Walk-In Customer', Active: true });
    const [, booked] = await releaseToNobody();
    expect(booked.CustomerRef).to.deep.equal({ value: Id });
  });

  it('a customer is linked by name, then by an email that one customer there has, and only then created', async () => {
    const put = (DisplayName: string, Address?: string) =>
      account.company.put('Customer', {
        DisplayName,
        Active: true,
        ...(Address ? { PrimaryEmailAddr: { Address } } : {}),
      });
    const named = put('Harbor Garage');
    const mailed = put('H. Smith', 'smith@harbor.example.com');
    put('Office one', 'office@pier.example.com');
    put('Office two', 'office@pier.example.com');
    const payerOf = async (members: object) => {
      const { id: customerId } = await account.createCustomer(members);
      const [, booked] = await account.releaseBooked({ customerId });
      return Object(booked.CustomerRef).value as string;
    };
    expect(
      await payerOf({ company_name: 'Smith Towing', billing_email: 'SMITH@harbor.example.com' }),
    ).to.equal(mailed.Id);
    const both = { company_name: 'harbor garage', billing_email: 'smith@harbor.example.com' };
    expect(await payerOf(both)).to.equal(named.Id);
    expect(listNames()).to.have.length(4);
    const shared = await payerOf({ company_name: 'Pier', billing_email: 'office@pier.example.com' });
    expect(account.company.get('Customer', shared).DisplayName).to.equal('Pier');
    // The one with that email belongs to another customer of ours.
    const taken = await payerOf({ company_name: 'Smith Yard', billing_email: 'smith@harbor.example.com' });
    expect(account.company.get('Customer', taken).DisplayName).to.equal('Smith Yard');
    expect(listNames()).to.have.length(6);
  });

  it('customers of the same name get names of their own, also after a lost answer and a reconnection', async () => {
    const company_name = `Riverside ${randomUUID().slice(0, 8)}`;
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.push((await account.createCustomer({ company_name })).id);
    const own = (id: string | undefined) => `${company_name} (${id?.slice(-8)})`;
    await account.releaseBooked({ customerId: ids[0] as string });
    await account.releaseBooked({ customerId: ids[1] as string });
    let writes = 0;
    // The second write is that of the free name.
    booking.double.misbehave = (name) =>
      name === 'POST customer' && ++writes === 2 ? { kind: 'cut_after' } : undefined;
    await account.release({ customerId: ids[2] as string });
    await account.settle();
    await account.settle();
    expect(writes).to.be.greaterThan(1);
    expect(listNames()).to.deep.equal([company_name, own(ids[1]), own(ids[2])]);
    expect(account.company.list('Invoice')).to.have.length(3);
    expect(await account.listIssues()).to.deep.equal([]);
    await account.disconnect();
    await account.connect();
    for (const customerId of ids.toReversed()) await account.releaseBooked({ customerId });
    await account.settle();
    expect(listNames()).to.have.length(3);
    const payers = account.company.list('Invoice').map(({ CustomerRef }) => Object(CustomerRef).value);
    expect(payers.slice(3).toReversed()).to.deep.equal(payers.slice(0, 3));
  });
});
