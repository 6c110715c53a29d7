import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { signXeroWebhook } from '../../../support/vendors/doubles/xero/webhook-sender.js';
import { useXeroStack, XERO_WEBHOOK_KEY, type XeroAccount } from '../../../support/vendors/xero-booking.js';

describe('Xero: what changes in the books arrives here', () => {
  requireContracts();
  const booking = useXeroStack();
  let account: XeroAccount;
  before(async () => {
    account = await booking.createAccount();
  });

  const idOf = ({ InvoiceID }: Record<string, unknown>) => String(InvoiceID);

  it('a payment made in the books is recorded once, by 50 parallel webhooks about its invoice', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.waitForWrites();
    booking.double.webhooks.habits.copies = 50;
    const there = booking.double.payInvoice(account.organisation, idOf(booked), 125);
    await account.waitForInvoice(invoice.id, 'paid');
    await account.waitForNotices();
    await account.pullAll();
    const [payment, ...others] = await account.listPayments(invoice.id);
    expect(others).to.deep.equal([]);
    expect(payment).to.include({
      amount_cents: 12_500,
      provider: 'xero',
      provider_payment_id: `${String(there.PaymentID)}/${idOf(booked)}`,
    });
    expect(account.listOpen(booked)).to.have.length(1);
  });

  it('a payment whose webhook was lost is found by the regular pull', async () => {
    const [invoice, booked] = await account.releaseBooked();
    booking.double.webhooks.habits.isLost = true;
    booking.double.payInvoice(account.organisation, idOf(booked), 25.01);
    await account.pullAll();
    const { balance_due_cents } = await account.waitForInvoice(invoice.id, 'partially_paid');
    expect(balance_due_cents).to.equal(9999);
  });

  it('contact data that the bookkeeper changes is taken over, and not sent back', async () => {
    const { id: customerId } = await account.createCustomer();
    const [, booked] = await account.releaseBooked({ customerId });
    await account.waitForWrites();
    const { ContactID } = Object(booked.Contact);
    booking.double.editContact(account.organisation, ContactID, {
      EmailAddress: 'new@riverside.example.com',
      Phones: [
        { PhoneType: 'DEFAULT', PhoneCountryCode: '1', PhoneAreaCode: '518', PhoneNumber: '555 0199' },
      ],
      Addresses: [
        { AddressType: 'STREET', AddressLine1: 'Elsewhere' },
        { AddressType: 'POBOX', AddressLine1: '9 Quay St', City: 'Troy', Region: 'NY', PostalCode: '12180' },
      ],
    });
    const changed = await eventually('the customer has changed', async () => {
      const { body } = await account.client.get(`/customers/${customerId}`);
      return body.billing_email === 'new@riverside.example.com' && body;
    });
    expect(changed).to.include({ primary_phone: '+1 518 555 0199', address: '9 Quay St', city: 'Troy' });
    await account.waitForNotices();
    // A change here keeps what Xero holds beside our data.
    await account.client.patch(`/customers/${customerId}`, { primary_phone: '+1 518 555 0123' });
    await account.settle();
    const contact = account.organisation.get('Contacts', ContactID);
    expect(contact.Phones).to.deep.equal([{ PhoneType: 'DEFAULT', PhoneNumber: '+1 518 555 0123' }]);
    expect(JSON.stringify(contact.Addresses)).to.contain('Elsewhere');
  });

  it('what the bookkeeper changed in a contact first stays theirs', async () => {
    const { id: customerId } = await account.createCustomer();
    const [, booked] = await account.releaseBooked({ customerId });
    await account.settle();
    await account.waitForNotices();
    booking.double.webhooks.habits.isLost = true;
    const { ContactID } = Object(booked.Contact);
    const EmailAddress = 'theirs@riverside.example.com';
    booking.double.editContact(account.organisation, ContactID, { EmailAddress });
    await account.client.patch(`/customers/${customerId}`, { billing_email: 'ours@riverside.example.com' });
    await account.hurry([]);
    await eventually('theirs has come', async () => {
      const { body } = await account.client.get(`/customers/${customerId}`);
      return body.billing_email === EmailAddress;
    });
    expect(account.organisation.get('Contacts', ContactID).EmailAddress).to.equal(EmailAddress);
  });

  it('a released invoice that is changed or voided there stays as it is here, and becomes an issue', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const [second, other] = await account.releaseBooked();
    await account.waitForWrites();
    const [first] = booked.LineItems as object[];
    const LineItems = [{ ...first, UnitAmount: 99, LineAmount: 99 }];
    booking.double.editInvoice(account.organisation, idOf(booked), { LineItems });
    booking.double.voidInvoice(account.organisation, idOf(other));
    const find = (id: string) =>
      eventually('there is an issue', async () =>
        (await account.listIssues()).find(({ record_id }) => record_id === id),
      );
    const issue = await find(invoice.id);
    expect([issue.ours.total_cents, issue.theirs.total_cents]).to.deep.equal([12_500, 9900]);
    const voided = await find(second.id);
    expect([voided.ours.status, voided.theirs.status]).to.deep.equal(['open', 'void']);
    expect((await account.readInvoice(invoice.id)).total_cents).to.equal(12_500);
    booking.double.editInvoice(account.organisation, idOf(booked), { LineItems: booked.LineItems });
    await eventually('the issue is closed', async () => {
      return !(await account.listIssues()).some(({ id }) => id === issue.id);
    });
    await account.client.post(`/sync-issues/${voided.id}/resolve`, { resolution: 'ignore' });
  });

  it('a payment that is deleted there becomes an issue, and stays here', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const [second, other] = await account.releaseBooked();
    const payment = await account.pay(second.id, 5000);
    const there = booking.double.payInvoice(account.organisation, idOf(booked), 125);
    await account.waitForInvoice(invoice.id, 'paid');
    await account.settle();
    await account.waitForNotices();
    booking.double.deletePayment(account.organisation, String(there.PaymentID));
    booking.double.deletePayment(account.organisation, String(account.listOpen(other)[0]?.PaymentID));
    const issues = await eventually('there are two issues', async () => {
      const found = (await account.listIssues()).filter(
        ({ record_kind }) => record_kind === 'booked_payment',
      );
      return found.length === 2 && found;
    });
    const sides = issues.map(({ ours, theirs }) => [ours.amount_cents, theirs.amount_cents]);
    expect(sides).to.deep.include.members([
      [12_500, 0],
      [5000, 0],
    ]);
    expect((await account.readInvoice(invoice.id)).status).to.equal('paid');
    // A person decides that our payment is right, so it is entered again.
    const ours = issues.find(({ record_id }) => record_id === payment.id);
    await account.client.post(`/sync-issues/${ours?.id}/resolve`, { resolution: 'retry' });
    await account.settle();
    expect(account.listOpen(other).map(({ Amount }) => Amount)).to.deep.equal([50]);
    expect(await account.listPayments(second.id)).to.have.length(1);
  });

  it('a change of a payment that waits for our own write is read again, also if its invoice was named', async () => {
    const [invoice, booked] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 5000);
    await account.settle();
    await account.waitForNotices();
    const run = (text: string, values: unknown[]) =>
      account.stack.rows(account.tenant.id, text, [account.tenant.id, ...values]);
    await run(
      `insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key, next_at, last_error_kind)
       values ($1, gen_random_uuid(), $2, 'booked_payment', $3, 'put', gen_random_uuid(), now() + interval '1 hour', 'limit')`,
      [account.connectionId, payment.id],
    );
    const PaymentID = String(account.listOpen(booked)[0]?.PaymentID);
    booking.double.deletePayment(account.organisation, PaymentID);
    await booking.double.webhooks.settle();
    const early = `select hint from inbound_notices where tenant_id = $1 and dedupe_id like 'early/%' and is_waiting and hint = $2`;
    await eventually('the change waits', async () => (await run(early, [PaymentID])).length === 1);
    await run(
      'delete from outbound_operations where tenant_id = $1 and next_at is not null and local_id = $2',
      [payment.id],
    );
    await eventually('the difference is shown', async () => {
      await account.hurry([]);
      return (await account.listIssues()).some(({ record_id }) => record_id === payment.id);
    });
  });

  it('Xero’s check of the address gets 200 without a body or cookies, and 401 for a wrong signature', async () => {
    const body = JSON.stringify({ events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: 'X' });
    const post = (signature: string) =>
      fetch(`${booking.stack.origin}/hooks/xero`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-xero-signature': signature },
        body,
      });
    const good = await post(signXeroWebhook(body, XERO_WEBHOOK_KEY));
    expect([good.status, await good.text(), good.headers.get('set-cookie')]).to.deep.equal([200, '', null]);
    expect((await post(signXeroWebhook(body, 'another key'))).status).to.equal(401);
  });

  it('one delivery for two organisations reaches each', async () => {
    const other = await booking.createAccount();
    const [invoice, booked] = await account.releaseBooked();
    const [second, there] = await other.releaseBooked();
    await account.waitForWrites();
    await other.waitForWrites();
    const { webhooks } = booking.double;
    webhooks.habits.isLost = true;
    booking.double.payInvoice(account.organisation, idOf(booked), 125);
    booking.double.payInvoice(other.organisation, idOf(there), 125);
    webhooks.deliver(
      [[account, booked] as const, [other, there] as const].map(([{ organisation }, record]) => ({
        tenantId: organisation.tenantId,
        category: 'INVOICE',
        id: idOf(record),
        type: 'UPDATE',
        at: Date.now(),
      })),
    );
    await account.waitForInvoice(invoice.id, 'paid');
    await other.waitForInvoice(second.id, 'paid');
  });
});
