import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { addPhoto } from '../../../support/records/pictures.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('claims at RoadSync, from release to payment', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  before(async () => {
    account = await clubs.createAccount({ terms: 'Net 30' });
  });

  it('a released invoice becomes a claim at RoadSync with its PDF and photos, mails nobody, and is paid once', async () => {
    const { body: order } = await account.client.post('/work-orders', { service_type: 'tow' });
    await account.client.patch(`/work-orders/${order.id}`, { notes: 'PO# 4711-B' });
    await addPhoto(account.client, order.id);
    const invoiceId = await account.createInvoice(12_550, { work_order_id: order.id, po_number: null });
    const { status, body } = await account.client.post(`/invoices/${invoiceId}/send`, {});
    expect([status, body.status, body.view_url]).to.deep.equal([200, 'sending', undefined]);
    const claim = await account.waitForClaim(invoiceId, 'submitted');
    expect(claim).to.include({
      attempt: 1,
      club: 'Interstate Motor Club',
      po_number: '4711-B',
      expected_cents: 12_550,
      connection_id: account.connectionId,
    });
    expect(await account.readInvoice(invoiceId)).to.include({ status: 'sent_to_roadsync' });
    const there = account.findLast();
    expect(there.content).to.deep.include({
      name: 'Interstate Motor Club',
      email: 'claims@interstate.example.com',
      comments: 'Files attached: 2\nNet 30',
      lineItems: [{ description: 'Tow', amount: 125.5, isTaxable: false, displayOrder: 0 }],
      customFields: { tow_dispatch_claim: `${claim.id}/1`, po_number: '4711-B' },
    });
    expect(there.attachments.map(({ type }) => type)).to.deep.equal(['application/pdf', 'image/jpeg']);
    expect(there.sends).to.deep.equal([{ email: 'claims@interstate.example.com', phone: undefined }]);
    expect((await account.client.get(`/messages?invoice_id=${invoiceId}`)).body.data.items).to.deep.equal([]);

    account.company.accept(there);
    await account.poll();
    await account.waitForClaim(invoiceId, 'accepted');
    account.company.pay(there);
    await account.poll();
    expect(await account.waitForClaim(invoiceId, 'paid')).to.include({ paid_cents: 12_550 });
    await account.poll();
    expect(await account.listPayments(invoiceId)).to.deep.equal([12_550]);
    expect((await account.readInvoice(invoiceId)).status).to.equal('paid');
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a club that pays less leaves the claim short paid, and the rest is recorded once when it comes', async () => {
    const { invoiceId, there } = await account.releaseSent(20_000);
    account.company.pay(there, 15_000);
    await account.poll();
    expect(await account.waitForClaim(invoiceId, 'short_paid')).to.include({ paid_cents: 15_000 });
    there.paidCents = 20_000;
    await account.poll();
    await account.waitForClaim(invoiceId, 'paid');
    expect((await account.listPayments(invoiceId)).sort()).to.deep.equal([15_000, 5000]);
  });

  it('an unknown status and a broken record at RoadSync change nothing, and stop no other claim', async () => {
    const odd = await account.releaseSent();
    const broken = await account.releaseSent();
    const good = await account.releaseSent();
    account.company.setStatus(odd.there, 'teleported');
    // JSON can hold an object that no conversion to a text accepts.
    const unreadable = { toString: 1, valueOf: 1 };
    const customFields = { tow_dispatch_claim: unreadable, po_number: 'PO-88213' };
    odd.there.garbled = { customFields, comments: unreadable };
    broken.there.garbled = { id: 7, status: { a: 1 }, lineItems: 'none', grandTotal: 'much' };
    account.company.accept(good.there);
    await account.poll();
    await account.waitForClaim(good.invoiceId, 'accepted');
    expect((await account.readClaim(odd.invoiceId)).status).to.equal('submitted');
    expect((await account.readClaim(broken.invoiceId)).status).to.equal('submitted');
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a payment of more than was claimed is not recorded, and a person is asked', async () => {
    const { invoiceId, there } = await account.releaseSent(12_550);
    there.paidCents = 900_000;
    account.company.markAsPaid(there);
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue).to.deep.include({ kind: 'difference', record_kind: 'claim' });
    expect([issue.ours.amount_cents, issue.theirs.amount_cents]).to.deep.equal([12_550, 900_000]);
    expect(await account.listPayments(invoiceId)).to.deep.equal([]);
    there.paidCents = 12_550;
    await account.poll();
    await account.waitForClaim(invoiceId, 'paid');
    await eventually('the issue has closed', async () => (await account.listIssues()).length === 0);
  });

  it('a total in cents at RoadSync is read as the amount that was sent', async () => {
    clubs.double.totalUnit = 'cents';
    const { invoiceId, there } = await account.releaseSent(12_550);
    account.company.pay(there);
    await account.poll();
    await account.waitForClaim(invoiceId, 'paid');
    expect(await account.listPayments(invoiceId)).to.deep.equal([12_550]);
    expect(await account.listIssues()).to.deep.equal([]);
  });
});
