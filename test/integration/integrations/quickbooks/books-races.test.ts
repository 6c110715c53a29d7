import { expect } from 'chai';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('QuickBooks: somebody changes a record between our read and our write', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  beforeEach(async () => {
    account = await booking.createAccount();
  });

  /**
   * Lets the bookkeeper act when one of our writes has arrived, before QuickBooks executes it. The
   * write then names a version that is old.
   */
  function actBefore(name: string, times: number, act: (nth: number) => void): void {
    let nth = 0;
    booking.double.misbehave = (called) => {
      if (called === name && nth < times) act(++nth);
      return undefined;
    };
  }

  function countPosts(name: string): () => number {
    const count = () => booking.double.calls.filter((call) => call.name === name).length;
    const before = count();
    return () => count() - before;
  }

  async function releaseEntered() {
    const { id: customerId } = await account.createCustomer();
    const [invoice, booked] = await account.releaseBooked({ customerId });
    await account.waitForWrites();
    await account.waitForNotices();
    await account.pullAll();
    return { invoice, booked, customerId, bookedCustomer: Object(booked.CustomerRef).value as string };
  }

  const edit = (entity: 'Invoice' | 'Customer', id: string, members: object) =>
    booking.double.edit(account.company, entity, id, members);

  it('an invoice is read again and written once more: our due date and their memo are both there', async () => {
    const { invoice, booked } = await releaseEntered();
    const posts = countPosts('POST invoice');
    actBefore('POST invoice', 1, () => edit('Invoice', booked.Id, { CustomerMemo: { value: 'Thank you' } }));
    await account.client.patch(`/invoices/${invoice.id}`, { due_date: '2027-03-01' });
    await account.settle();
    const there = account.company.get('Invoice', booked.Id);
    expect(there).to.deep.include({ DueDate: '2027-03-01', CustomerMemo: { value: 'Thank you' } });
    expect(posts()).to.equal(2);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a customer is read again and written once more: our phone and their note are both there', async () => {
    const { customerId, bookedCustomer } = await releaseEntered();
    const posts = countPosts('POST customer');
    actBefore('POST customer', 1, () => edit('Customer', bookedCustomer, { Notes: 'Pays on Fridays' }));
    await account.client.patch(`/customers/${customerId}`, { primary_phone: '+1 518 555 0123' });
    await account.settle();
    expect(account.company.get('Customer', bookedCustomer)).to.deep.include({
      PrimaryPhone: { FreeFormNumber: '+1 518 555 0123' },
      Notes: 'Pays on Fridays',
    });
    expect(posts()).to.equal(2);
  });

  it('a second stale version ends as an issue after two writes, and the record stays theirs', async () => {
    const { invoice, booked } = await releaseEntered();
    const posts = countPosts('POST invoice');
    actBefore('POST invoice', 100, (nth) =>
      edit('Invoice', booked.Id, { CustomerMemo: { value: `${nth}` } }),
    );
    await account.client.patch(`/invoices/${invoice.id}`, { due_date: '2027-03-01' });
    await account.settle();
    const issue = await account.waitForIssue('conflict');
    expect(issue).to.include({ record_kind: 'invoice', record_id: invoice.id });
    await account.settle();
    expect(posts()).to.equal(2);
    const there = account.company.get('Invoice', booked.Id);
    expect(there.DueDate).to.not.equal('2027-03-01');
    expect(there.CustomerMemo).to.deep.equal({ value: '2' });
    // A person decides, once nobody else writes.
    booking.double.misbehave = () => undefined;
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'ours' });
    await account.settle();
    expect(account.company.get('Invoice', booked.Id).DueDate).to.equal('2027-03-01');
  });

  it('a total that changes meanwhile is not overwritten: both sides become an issue', async () => {
    const { invoice, booked } = await releaseEntered();
    const [first] = booked.Line as { SalesItemLineDetail: { ItemRef: object } }[];
    const Line = [
      { ...first, Amount: 99, SalesItemLineDetail: { ItemRef: first?.SalesItemLineDetail.ItemRef } },
    ];
    const posts = countPosts('POST invoice');
    actBefore('POST invoice', 1, () => edit('Invoice', booked.Id, { Line }));
    await account.client.patch(`/invoices/${invoice.id}`, { due_date: '2027-03-01' });
    await account.settle();
    await account.waitForNotices();
    const issue = await account.waitForIssue('difference');
    expect([issue.ours?.total_cents, issue.theirs?.total_cents]).to.deep.equal([12_500, 9900]);
    expect(posts()).to.equal(1);
    expect(account.company.get('Invoice', booked.Id).TotalAmt).to.equal(99);
  });
});
