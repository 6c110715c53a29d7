import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import type { RoadSyncInvoice } from '../../../support/vendors/doubles/roadsync/company.js';

const CREATE = 'POST /v1/invoice/';
const LOOK = 'GET /v1/invoice/';

describe('RoadSync lists an invoice late whose creation it did not answer', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;
  let invoiceId: string;
  let lost: RoadSyncInvoice;

  beforeEach(async () => {
    account = await clubs.createAccount();
    let isLost = false;
    account.company.isListLate = true;
    clubs.double.misbehave = (name) => {
      if (isLost || name !== CREATE) return undefined;
      isLost = true;
      return { kind: 'cut_after' };
    };
    invoiceId = await account.release(12_550);
    lost = await eventually('RoadSync has the invoice', () => account.findLast());
    await eventually('the worker has no answer', async () => (await readOperation()).is_unanswered);
  });

  async function readOperation() {
    const [row] = await clubs.stack.rows<{ is_unanswered: boolean; is_looking: boolean; wait_s: number }>(
      account.tenant.id,
      `select unanswered_at is not null and state = 'due' as is_unanswered, last_error like '%looks for it.' and state = 'due' as is_looking,
         extract(epoch from next_at - now())::float8 as wait_s from outbound_operations where tenant_id = $1 order by id desc limit 1`,
      [account.tenant.id],
    );
    return row as NonNullable<typeof row>;
  }

  /** Lets the worker look again. Returns its next wait, as if the answer was lost so long ago. */
  async function look(secondsAfter: number): Promise<number> {
    const countLooks = () => clubs.double.listCalls(LOOK, account.company).length;
    const before = countLooks();
    await clubs.stack.rows(
      account.tenant.id,
      `update outbound_operations set unanswered_at = now() - $2::float8 * interval '1 s'
       where tenant_id = $1 and unanswered_at is not null`,
      [account.tenant.id, secondsAfter],
    );
    await account.hurry([], { endsLooks: false });
    await eventually('the worker has looked', async () => {
      return countLooks() > before && (await readOperation()).is_looking;
    });
    return (await readOperation()).wait_s;
  }

  it('the worker looks for it with growing waits, and then sends the one that it finds', async () => {
    expect(await look(5)).to.be.within(1, 10);
    expect(await look(60)).to.be.within(30, 70);
    expect(await look(240)).to.be.within(200, 260);
    expect(await look(590)).to.be.below(11);
    expect(account.company.invoices).to.have.length(1);
    lost.isUnlisted = false;
    await account.hurry([], { endsLooks: false });
    await eventually('the claim is submitted', async () => {
      return (await account.readClaim(invoiceId)).status === 'submitted';
    });
    expect(account.company.invoices).to.deep.equal([lost]);
    expect(lost.sends).to.have.length(1);
  });

  it('a claim that is withdrawn meanwhile is void there once RoadSync lists it', async () => {
    const { id } = await account.readClaim(invoiceId);
    await account.client.post(`/claims/${id}/withdraw`, { reason: 'Paid in cash' });
    await look(60);
    expect(lost.deletedAt).to.equal(undefined);
    lost.isUnlisted = false;
    await account.hurry([], { endsLooks: false });
    await eventually('it is void there', () => lost.deletedAt !== undefined);
    expect(account.company.invoices).to.deep.equal([lost]);
  });

  /** Lets the worker create a second invoice, and RoadSync list both. */
  async function createSecond(): Promise<RoadSyncInvoice> {
    await account.waitForClaim(invoiceId, 'submitted');
    expect(account.company.invoices).to.have.length(2);
    for (const invoice of account.company.invoices) invoice.isUnlisted = false;
    return account.findLast();
  }

  it('of two invoices of a claim, a poll reports the one that was not sent, and the next voids it', async () => {
    const second = await createSecond();
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue).to.include({ kind: 'conflict', record_kind: 'claim', operation_id: null });
    expect(issue.message).to.match(
      new RegExp(`^RoadSync has a second invoice, ${lost.invoiceNumber}, for the claim of invoice .*voids`),
    );
    expect(lost.deletedAt).to.equal(undefined);
    await account.poll();
    await account.poll();
    expect([lost.voidReason, lost.sends]).to.deep.equal(['duplicate', []]);
    expect([second.deletedAt, second.sends.length]).to.deep.equal([undefined, 1]);
    expect(await account.listIssues()).to.have.length(1);
    account.company.pay(second);
    await account.poll();
    await account.waitForClaim(invoiceId, 'paid');
  });

  const FAULTS: Fault[] = [{ kind: 'cut_before' }, { kind: 'status', status: 400 }];
  for (const fault of FAULTS)
    it(`a look for second invoices that fails (${fault.kind}) keeps the payment that was read before it`, async () => {
      const second = await createSecond();
      account.company.pay(second);
      clubs.double.misbehave = (name) => (name === LOOK ? fault : undefined);
      await account.poll();
      await account.waitForClaim(invoiceId, 'paid');
      expect(lost.deletedAt).to.equal(undefined);
    });

  it('a second invoice is voided only after an issue about that very one', async () => {
    await createSecond();
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    // As if the issue was about another invoice of the claim.
    await clubs.stack.rows(
      account.tenant.id,
      "update sync_issues set external_id = 'another' where tenant_id = $1 and id = $2",
      [account.tenant.id, issue.id],
    );
    await account.poll();
    await eventually('another issue is open', async () => (await account.listIssues()).length === 2);
    expect(lost.deletedAt).to.equal(undefined);
    await account.poll();
    await account.poll();
    expect(lost.voidReason).to.equal('duplicate');
  });

  it('a second invoice that is paid is not voided, and the issue names it', async () => {
    const second = await createSecond();
    account.company.markAsPaid(lost);
    await account.poll();
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue.message).to.contain(`${lost.invoiceNumber} is paid.`);
    await account.poll();
    expect([lost.deletedAt, second.deletedAt]).to.deep.equal([undefined, undefined]);
  });
});
