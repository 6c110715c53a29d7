import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

const toLines = (cents: number) => [
  {
    name: 'Corrected',
    category: 'tow',
    quantity: 1,
    unit_type: 'each',
    unit_price_cents: cents,
    total_cents: cents,
    taxable: false,
  },
];

describe('claims whose invoices change while RoadSync has them, or should get them', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  before(async () => {
    account = await clubs.createAccount();
  });

  async function act(invoiceId: string, action: string, body: object = {}): Promise<void> {
    const response = await account.client.post(`/invoices/${invoiceId}/${action}`, body);
    expect(response.status, response.text).to.equal(200);
  }

  async function resolve(issueId: string): Promise<void> {
    const response = await account.client.post(`/sync-issues/${issueId}/resolve`, { resolution: 'retry' });
    expect(response.status, response.text).to.equal(200);
  }

  async function pay(invoiceId: string, cents: number): Promise<void> {
    const body = { amount_cents: cents, method: 'check' };
    const response = await account.client.post(`/invoices/${invoiceId}/payments`, body);
    expect(response.status, response.text).to.equal(201);
  }

  async function correct(invoiceId: string, cents: number): Promise<void> {
    const response = await account.client.patch(`/invoices/${invoiceId}`, { line_items: toLines(cents) });
    expect(response.status, response.text).to.equal(200);
  }

  /** Waits until the worker has not sent a claim, because its invoice has one of these statuses. */
  function waitUntilRefused(invoiceId: string, statuses: readonly string[]) {
    const reasons = statuses.map((status) => `The invoice is ${status}. Approve it, then release it again.`);
    return eventually('the claim was not sent', async () => {
      await account.hurry([]);
      return reasons.includes((await account.readClaim(invoiceId)).status_reason);
    });
  }

  /** Approves and releases the corrected invoice, and returns the amounts that RoadSync gets. */
  async function releaseAgain(invoiceId: string) {
    await act(invoiceId, 'approve');
    await act(invoiceId, 'send');
    await account.waitForClaim(invoiceId, 'submitted');
    return account.findLast().content.lineItems.map(({ amount }) => amount);
  }

  it('an invoice that was taken back while RoadSync was down is sent only after its next release', async () => {
    clubs.double.misbehave = (name) => (name.startsWith('GET') ? { kind: 'status', status: 500 } : undefined);
    const count = account.company.invoices.length;
    const countLookups = () => clubs.double.listCalls('GET /v1/invoice/', account.company).length;
    const earlier = countLookups();
    const invoiceId = await account.release(10_000);
    await eventually('RoadSync has failed to answer', () => countLookups() > earlier);
    await act(invoiceId, 'dispute', { reason: 'Wrong price' });
    await act(invoiceId, 'return');
    await correct(invoiceId, 5000);
    clubs.double.misbehave = () => undefined;
    // The next attempt may come before the return.
    await waitUntilRefused(invoiceId, ['disputed', 'needs_review']);
    expect(account.company.invoices).to.have.length(count);
    expect(await account.readInvoice(invoiceId)).to.include({ status: 'needs_review' });
    expect(await releaseAgain(invoiceId)).to.deep.equal([50]);
    expect(account.company.invoices).to.have.length(count + 1);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('the retry of a refused claim does not send an invoice that a person is correcting', async () => {
    const { shiftIds } = account.company.location;
    shiftIds.push('night');
    const count = account.company.invoices.length;
    const invoiceId = await account.release(10_000);
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    await eventually(
      'the invoice has failed',
      async () => (await account.readInvoice(invoiceId)).status === 'failed',
    );
    shiftIds.pop();
    await act(invoiceId, 'return');
    await correct(invoiceId, 9900);
    await resolve(issue.id);
    await waitUntilRefused(invoiceId, ['needs_review']);
    expect(account.company.invoices).to.have.length(count);
    expect(await releaseAgain(invoiceId)).to.deep.equal([99]);
  });

  it('a payment at RoadSync of an invoice in review is a difference, and is recorded once it is approved', async () => {
    const { invoiceId, claim, there } = await account.releaseSent(12_550);
    await act(invoiceId, 'dispute', { reason: 'Wrong price' });
    await act(invoiceId, 'return');
    account.company.pay(there);
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue).to.deep.include({
      record_id: claim.id,
      ours: { invoice_status: 'needs_review', paid_cents: 0 },
      theirs: { invoice_status: 'paid', paid_cents: 12_550 },
    });
    expect(await account.listPayments(invoiceId)).to.deep.equal([]);
    await act(invoiceId, 'approve');
    await resolve(issue.id);
    await account.poll();
    await account.waitForClaim(invoiceId, 'paid');
    expect(await account.listPayments(invoiceId)).to.deep.equal([12_550]);
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a payment at RoadSync of an invoice that is paid already is a difference', async () => {
    const { invoiceId, there } = await account.releaseSent(12_550);
    await pay(invoiceId, 12_550);
    account.company.pay(there);
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect([issue.ours, issue.theirs]).to.deep.equal([
      { invoice_status: 'paid', paid_cents: 0 },
      { invoice_status: 'paid', paid_cents: 12_550 },
    ]);
    expect(await account.listPayments(invoiceId)).to.deep.equal([12_550]);
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'ignore' });
  });

  it('an invoice that others have paid is a difference until its claim is withdrawn', async () => {
    const { invoiceId, claim, there } = await account.releaseSent(12_550);
    await account.poll();
    await pay(invoiceId, 12_550);
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect([issue.ours, issue.theirs]).to.deep.equal([{ status: 'paid' }, { status: 'open' }]);
    await account.client.post(`/claims/${claim.id}/withdraw`, { reason: 'Paid by the customer' });
    await eventually('it is void there, and the issue has closed', async () => {
      await account.hurry([]);
      return there.deletedAt !== undefined && (await account.listIssues()).length === 0;
    });
  });

  it('a difference of an earlier attempt closes once RoadSync has the next one', async () => {
    const { invoiceId, claim, there } = await account.releaseSent(12_550);
    Object.assign(there.content.customFields ?? {}, { po_number: 'PO-1' });
    account.company.deny(there, 'Mileage');
    await account.poll();
    await account.waitForClaim(invoiceId, 'denied');
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue.theirs.po_number).to.equal('PO-1');
    await act(invoiceId, 'approve');
    await account.client.post(`/claims/${claim.id}/rebill`, {});
    await account.waitForClaim(invoiceId, 'submitted', 2);
    await eventually('the issue has closed', async () => (await account.listIssues()).length === 0);
  });
});
