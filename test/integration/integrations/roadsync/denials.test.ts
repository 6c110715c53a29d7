import { expect } from 'chai';
import { findClaimDeadlines } from '../../../../shared/resources/claims/deadlines.js';
import { runIsolated } from '../../../../workers/writes/isolate-commands.js';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { createBatchContext } from '../../../support/writes/batch-context.js';

const NO_PO = 'PO number missing';
const SETTINGS = {
  denial_rules: [
    { contains: 'po number', code: 'missing_po' },
    { contains: 'not covered', code: 'not_covered' },
  ],
};

describe('denied claims at RoadSync', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  before(async () => {
    account = await clubs.createAccount(SETTINGS);
  });

  /** Releases an invoice without a PO, whose work order names one only afterwards. */
  async function releaseWithoutPo() {
    const { body: order } = await account.client.post('/work-orders', { service_type: 'tow' });
    const sent = await account.releaseSent(12_550, { work_order_id: order.id, po_number: null });
    const note = (po: string) => account.client.patch(`/work-orders/${order.id}`, { notes: `PO# ${po}` });
    await note('88213-A');
    return { ...sent, note };
  }

  it('a denial that a rule corrects is sent again as a new invoice, and the old one is void', async () => {
    const { invoiceId, claim, there } = await releaseWithoutPo();
    account.company.deny(there, NO_PO);
    await account.poll();
    expect(await account.waitForClaim(invoiceId, 'submitted', 2)).to.include({ po_number: '88213-A' });
    const again = account.findLast();
    expect(again.content.customFields).to.deep.equal({
      tow_dispatch_claim: `${claim.id}/2`,
      po_number: '88213-A',
    });
    expect([there.voidReason, again.deletedAt]).to.deep.equal(['alternate', undefined]);
    expect(await account.readInvoice(invoiceId)).to.include({
      status: 'sent_to_roadsync',
      po_number: '88213-A',
    });
    account.company.pay(again);
    await account.poll();
    await account.waitForClaim(invoiceId, 'paid');
    expect(await account.listPayments(invoiceId)).to.deep.equal([12_550]);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('the third denial stops, with a suggestion and an invoice to review', async () => {
    const { invoiceId, claim, note } = await releaseWithoutPo();
    for (const attempt of [2, 3]) {
      account.company.deny(account.findLast(), NO_PO);
      await account.poll();
      await account.waitForClaim(invoiceId, 'submitted', attempt);
      // The invoice has a PO by now, so only another one in the notes is a correction.
      await note(`99${attempt}13-B`);
    }
    const sent = account.company.invoices.length;
    account.company.deny(account.findLast(), NO_PO, 'validatedandfailed');
    await account.poll();
    expect(await account.waitForClaim(invoiceId, 'denied')).to.include({
      attempt: 3,
      denial_code: 'missing_po',
      denial_reason: NO_PO,
    });
    expect((await account.readInvoice(invoiceId)).status).to.equal('needs_review');
    const { items } = (await account.client.get('/suggestions?kind=denial')).body.data;
    expect(items.filter((one: { entity_id: string }) => one.entity_id === claim.id)).to.have.length(1);
    expect((await account.client.post(`/claims/${claim.id}/rebill`, {})).status).to.equal(409);
    await account.poll();
    expect(account.company.invoices).to.have.length(sent);
  });

  it('a person answers a denial: the corrected invoice is billed again at RoadSync', async () => {
    const { invoiceId, claim, there } = await account.releaseSent(20_000);
    account.company.deny(there, 'Mileage not covered');
    await account.poll();
    expect(await account.waitForClaim(invoiceId, 'denied')).to.include({ denial_code: 'not_covered' });
    await account.client.post(`/invoices/${invoiceId}/approve`, {});
    const refused = await account.client.post(`/invoices/${invoiceId}/send`, {});
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      409,
      `The claim of this invoice is denied. Bill it again with POST /claims/${claim.id}/rebill, or withdraw it first.`,
    ]);
    await account.client.patch(`/claims/${claim.id}`, { expected_cents: 15_000 });
    const { status, body } = await account.client.post(`/claims/${claim.id}/rebill`, {});
    expect([status, body.status]).to.deep.equal([200, 'rebilling']);
    await account.waitForClaim(invoiceId, 'submitted', 2);
    const amounts = account.findLast().content.lineItems.map(({ amount }) => amount);
    expect(amounts).to.deep.equal([200, -50]);
    expect(there.deletedAt).to.be.a('number');
    expect((await account.readInvoice(invoiceId)).status).to.equal('sent_to_roadsync');
  });

  it('a claim that is withdrawn, and the claim of an invoice that is voided, are void at RoadSync with a reason', async () => {
    const one = await account.releaseSent();
    await account.client.post(`/claims/${one.claim.id}/withdraw`, { reason: 'Duplicate of another call' });
    const other = await account.releaseSent();
    await account.client.post(`/invoices/${other.invoiceId}/void`, { reason: 'Wrong amount' });
    await account.waitForClaim(other.invoiceId, 'withdrawn');
    await eventually('both are void', async () => {
      await account.hurry([]);
      return one.there.deletedAt !== undefined && other.there.deletedAt !== undefined;
    });
    expect([one.there.voidReason, other.there.voidReason]).to.deep.equal(['duplicate', 'incorrectamount']);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('an invoice that was voided at RoadSync, or shows another PO, becomes a sync issue with both sides', async () => {
    const voided = await account.releaseSent();
    const other = await account.releaseSent();
    account.company.voidInvoice(voided.there);
    Object.assign(other.there.content.customFields ?? {}, { po_number: 'PO-1' });
    account.company.accept(other.there);
    await account.poll();
    const issues = await eventually('two issues are open', async () => {
      const found = await account.listIssues();
      return found.length === 2 && found;
    });
    const find = (id: string) => issues.find(({ record_id }) => record_id === id);
    expect(find(voided.claim.id)).to.deep.include({ ours: { status: 'open' }, theirs: { status: 'void' } });
    const difference = find(other.claim.id);
    expect([difference?.ours.po_number, difference?.theirs.po_number]).to.deep.equal(['PO-88213', 'PO-1']);
    expect(difference?.message).to.contain('po_number PO-88213 here, PO-1 at RoadSync');
    Object.assign(other.there.content.customFields ?? {}, { po_number: 'PO-88213' });
    await account.client.post(`/sync-issues/${difference?.id}/resolve`, { resolution: 'retry' });
    await account.poll();
    expect((await account.listIssues()).map(({ record_id }) => record_id)).to.deep.equal([voided.claim.id]);
  });

  it('a claim that RoadSync has not taken by submit_by expires, and is void there', async () => {
    const { tenant } = account;
    account.clubs.double.misbehave = (name) =>
      name === 'POST /v1/invoice/{id}/send' ? { kind: 'status', status: 500 } : undefined;
    const invoiceId = await account.release(12_550);
    const there = await eventually('the invoice is created there', () => {
      const found = account.findLast();
      return found.content.description?.includes('invoice') && found.status === 'new' && found;
    });
    const { stack } = account;
    const past = 'update claims set submit_by = now() where tenant_id = $1 and invoice_id = $2';
    await stack.rows(tenant.id, past, [tenant.id, invoiceId]);
    const found = await stack.runtime.db.transaction([tenant.id], (tx) => findClaimDeadlines(tx, 100));
    await runIsolated(createBatchContext(stack.runtime), found);
    await account.waitForClaim(invoiceId, 'expired');
    account.clubs.double.misbehave = () => undefined;
    await eventually('it is void there', async () => {
      await account.hurry([]);
      return there.deletedAt !== undefined;
    });
    expect(await account.readInvoice(invoiceId)).to.include({ status: 'failed' });
  });
});
