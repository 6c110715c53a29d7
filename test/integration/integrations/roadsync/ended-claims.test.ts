import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('claims that ended here while RoadSync still collects them', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  beforeEach(async () => {
    account = await clubs.createAccount();
  });

  /** Withdraws a claim that RoadSync refuses to void. */
  async function withdrawInVain() {
    const sent = await account.releaseSent();
    clubs.double.misbehave = (name) =>
      name === 'POST /v1/invoice/{id}/void' ? { kind: 'status', status: 400 } : undefined;
    await account.client.post(`/claims/${sent.claim.id}/withdraw`, { reason: 'Bill by mail' });
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'ignore' });
    return sent;
  }

  it('a withdrawn claim that is paid there is a difference with both sides', async () => {
    const { invoiceId, claim, there } = await withdrawInVain();
    await account.poll();
    expect(await account.listIssues()).to.deep.equal([]);
    account.company.pay(there);
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue).to.deep.include({
      kind: 'difference',
      record_id: claim.id,
      ours: { status: 'withdrawn', paid_cents: 0 },
      theirs: { status: 'paid', paid_cents: 12_550 },
    });
    expect(await account.listPayments(invoiceId)).to.deep.equal([]);
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'ignore' });
    await account.poll();
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a withdrawn claim that RoadSync has voided is not read again', async () => {
    const { claim, there } = await account.releaseSent();
    await account.client.post(`/claims/${claim.id}/withdraw`, { reason: 'Bill by mail' });
    await eventually('it is void there', () => there.deletedAt !== undefined);
    await account.poll();
    const countReads = () => clubs.double.listCalls('GET /v1/invoice/{id}', account.company).length;
    const before = countReads();
    await account.poll();
    expect(countReads()).to.equal(before);
  });
});
