import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('QuickBooks: what changes in the books arrives here', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  before(async () => {
    account = await booking.createAccount();
  });

  for (const body of ['events', 'notifications'] as const)
    it(`a payment made in the books is recorded once, by 50 parallel webhooks of the form ${body}`, async () => {
      const [invoice, booked] = await account.releaseBooked();
      await account.waitForWrites();
      Object.assign(booking.double.webhooks.habits, { body, copies: 50 });
      const there = booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 125 }]);
      await account.waitForInvoice(invoice.id, 'paid');
      await account.waitForNotices();
      await account.pullAll();
      const payments = await account.listPayments(invoice.id);
      expect(payments).to.have.length(1);
      expect(payments[0]).to.include({
        amount_cents: 12_500,
        provider: 'quickbooks',
        provider_payment_id: `${there.Id}/${booked.Id}`,
      });
      expect(account.company.list('Payment').filter(({ Id }) => Number(Id) > Number(there.Id))).to.deep.equal(
        [],
      );
      const refused = booking.double.webhooks.statuses.filter((status) => status >= 400 && status < 500);
      expect(refused).to.deep.equal([]);
    });

  it('a payment whose webhook was lost is found by the regular pull', async () => {
    const [invoice, booked] = await account.releaseBooked();
    booking.double.webhooks.habits.isLost = true;
    booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 25.01 }]);
    await account.pullAll();
    const { balance_due_cents } = await account.waitForInvoice(invoice.id, 'partially_paid');
    expect(balance_due_cents).to.equal(9999);
  });

  it('a payment for several invoices pays each of them', async () => {
    const { id: customerId } = await account.createCustomer();
    const [first, one] = await account.releaseBooked({ customerId });
    const [second, two] = await account.releaseBooked({ customerId });
    booking.double.payInvoices(account.company, [
      { invoiceId: one.Id, amount: 125 },
      { invoiceId: two.Id, amount: 100 },
    ]);
    await account.waitForInvoice(first.id, 'paid');
    const { balance_due_cents } = await account.waitForInvoice(second.id, 'partially_paid');
    expect(balance_due_cents).to.equal(2500);
  });

  it('our own payment comes back as an echo and is not recorded again', async () => {
    const [invoice] = await account.releaseBooked();
    await account.pay(invoice.id, 12_500);
    await account.waitForWrites();
    await account.waitForNotices();
    await account.pullAll();
    expect(await account.listPayments(invoice.id)).to.have.length(1);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('contact data that the bookkeeper changes is taken over, and not sent back', async () => {
    const { id: customerId } = await account.createCustomer();
    const [, booked] = await account.releaseBooked({ customerId });
    await account.waitForWrites();
    const externalId = Object(booked.CustomerRef).value as string;
    booking.double.edit(account.company, 'Customer', externalId, {
      PrimaryEmailAddr: { Address: 'new@riverside.example.com' },
      PrimaryPhone: { FreeFormNumber: '+1 518 555 0199' },
      BillAddr: { Line1: '9 Quay St', City: 'Troy', CountrySubDivisionCode: 'NY', PostalCode: '12180' },
    });
    const changed = await eventually('the customer has changed', async () => {
      const { body } = await account.client.get(`/customers/${customerId}`);
      return body.billing_email === 'new@riverside.example.com' && body;
    });
    expect(changed).to.include({ primary_phone: '+1 518 555 0199', address: '9 Quay St', city: 'Troy' });
    await account.waitForNotices();
    expect(account.company.get('Customer', externalId).SyncToken).to.equal('1');
  });

  it('a customer changed here is changed in the books; what they changed first stays theirs', async () => {
    const { id: customerId } = await account.createCustomer();
    const [, booked] = await account.releaseBooked({ customerId });
    await account.waitForWrites();
    const externalId = Object(booked.CustomerRef).value as string;
    await account.client.patch(`/customers/${customerId}`, { primary_phone: '+1 518 555 0123' });
    await account.hurry([]);
    await account.waitForWrites();
    expect(account.company.get('Customer', externalId).PrimaryPhone).to.deep.equal({
      FreeFormNumber: '+1 518 555 0123',
    });
    // The echo of this write must be read before they change the customer.
    await account.waitForNotices();
    booking.double.webhooks.habits.isLost = true;
    const email = { Address: 'theirs@riverside.example.com' };
    booking.double.edit(account.company, 'Customer', externalId, { PrimaryEmailAddr: email });
    await account.client.patch(`/customers/${customerId}`, { billing_email: 'ours@riverside.example.com' });
    await account.hurry([]);
    await eventually('theirs has come', async () => {
      const { body } = await account.client.get(`/customers/${customerId}`);
      return body.billing_email === email.Address;
    });
    expect(account.company.get('Customer', externalId).PrimaryEmailAddr).to.deep.equal(email);
  });

  it('a released invoice that is changed there stays as it is here, and becomes an issue', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.waitForWrites();
    const [first] = booked.Line as object[];
    booking.double.edit(account.company, 'Invoice', booked.Id, {
      Line: [
        { ...first, Amount: 99, SalesItemLineDetail: { ItemRef: Object(first).SalesItemLineDetail.ItemRef } },
      ],
    });
    const issue = await account.waitForIssue('difference');
    expect(issue).to.deep.include({ record_kind: 'invoice', record_id: invoice.id });
    expect(issue.ours).to.include({ total_cents: 12_500 });
    expect(issue.theirs).to.include({ total_cents: 9900 });
    expect((await account.readInvoice(invoice.id)).total_cents).to.equal(12_500);
    booking.double.edit(account.company, 'Invoice', booked.Id, { Line: booked.Line });
    await eventually('the issue is closed', async () => {
      return !(await account.listIssues()).some(({ id }) => id === issue.id);
    });
  });

  it('a payment that is voided or deleted there becomes an issue, and stays here', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const [other, second] = await account.releaseBooked();
    const voided = booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 125 }]);
    const deleted = booking.double.payInvoices(account.company, [{ invoiceId: second.Id, amount: 125 }]);
    await account.waitForInvoice(invoice.id, 'paid');
    await account.waitForInvoice(other.id, 'paid');
    booking.double.void(account.company, 'Payment', voided.Id);
    account.company.remove('Payment', deleted.Id);
    const issues = await eventually('there are two issues', async () => {
      const found = (await account.listIssues()).filter(
        ({ record_kind }) => record_kind === 'booked_payment',
      );
      return found.length === 2 && found;
    });
    for (const { ours, theirs } of issues)
      expect([ours, theirs]).to.deep.equal([{ amount_cents: 12_500 }, { amount_cents: 0 }]);
    expect((await account.readInvoice(invoice.id)).status).to.equal('paid');
  });

  it('records of other customers and a copied payment of ours change nothing by mistake', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 5000);
    await account.waitForWrites();
    const note = `Tow Dispatch payment ${payment.id}`;
    const own = account.company.list('Payment').find(({ PrivateNote }) => PrivateNote === note);
    const copy = booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 10 }]);
    booking.double.edit(account.company, 'Payment', copy.Id, { PrivateNote: note });
    await account.waitForNotices();
    await account.pullAll();
    const payments = await account.listPayments(invoice.id);
    expect(payments.map(({ amount_cents }) => amount_cents).sort()).to.deep.equal([1000, 5000]);
    const ids = await account.stack.rows(
      account.tenant.id,
      "select external_id from external_ids where kind = 'booked_payment' and local_id = $1",
      [payment.id],
    );
    expect(ids).to.deep.equal([{ external_id: `${own?.Id}/${booked.Id}` }]);
  });

  it('a note that the bookkeeper edits on a payment of ours leaves the payment here as it is', async () => {
    const [invoice] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 5000);
    await account.waitForWrites();
    const note = `Tow Dispatch payment ${payment.id}`;
    const own = account.company.list('Payment').find(({ PrivateNote }) => PrivateNote === note);
    booking.double.edit(account.company, 'Payment', String(own?.Id), { PrivateNote: 'Paid at the gate' });
    await account.waitForNotices();
    await account.pullAll();
    const [after, ...others] = await account.listPayments(invoice.id);
    expect(others).to.deep.equal([]);
    const { id, provider } = payment;
    expect(after).to.include({ id, provider, amount_cents: 5000, method: 'check' });
  });

  it('one delivery for several companies reaches each, and a forged one none', async () => {
    const other = await booking.createAccount();
    const [invoice, booked] = await account.releaseBooked();
    const [second, there] = await other.releaseBooked({ lines: [line({ unit_price_cents: 777 })] });
    await account.waitForWrites();
    await other.waitForWrites();
    const { webhooks } = booking.double;
    webhooks.habits.isLost = true;
    const paid = booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 125 }]);
    const paidThere = booking.double.payInvoices(other.company, [{ invoiceId: there.Id, amount: 7.77 }]);
    const changes = [
      [account, paid],
      [other, paidThere],
    ] as const;
    const at = new Date().toISOString();
    webhooks.deliver(
      changes.map(([{ company }, { Id: id }]) => ({
        realmId: company.realmId,
        entity: 'Payment',
        id,
        operation: 'Create',
        at,
      })),
      { body: 'notifications', copies: 3 },
    );
    await account.waitForInvoice(invoice.id, 'paid');
    await other.waitForInvoice(second.id, 'paid');
    const forged = await fetch(`${booking.stack.origin}/hooks/quickbooks`, {
      method: 'POST',
      headers: { 'intuit-signature': randomUUID() },
      body: '[]',
    });
    expect(forged.status).to.equal(401);
  });
});
