import { expect } from 'chai';
import { createSystemCommand } from '../../../../shared/contracts/system-command.js';
import { type ClaimReport, recordClaimReport } from '../../../../shared/resources/claims/commands.js';
import { runIsolated } from '../../../../workers/writes/isolate-commands.js';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { createBatchContext } from '../../../support/writes/batch-context.js';

const AMOUNT = 12_550;
const SENT: ClaimReport = { attempt: 2, state: 'sent', amount_cents: AMOUNT };
const ACCEPTED: ClaimReport = { attempt: 2, state: 'accepted' };
const PAID: ClaimReport = { attempt: 2, state: 'paid', amount_cents: AMOUNT, reference: 'RoadSync 1' };

describe('reports of RoadSync about a claim', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  before(async () => {
    account = await clubs.createAccount();
  });

  async function report(claimId: string, ...inputs: ClaimReport[]): Promise<void> {
    for (const input of inputs) {
      const command = createSystemCommand({
        type: recordClaimReport.type,
        tenantId: account.tenant.id,
        environment: 'live',
        name: 'RoadSync',
        entityId: claimId,
        input,
      });
      await runIsolated(createBatchContext(account.stack.runtime), [command]);
    }
  }

  const pause = () => account.client.post(`/connections/${account.connectionId}/pause`, {});
  const resume = () => account.client.post(`/connections/${account.connectionId}/resume`, {});

  /** Returns a denied claim whose second attempt waits for RoadSync. The worker is paused. */
  async function rebill() {
    const { invoiceId, claim, there } = await account.releaseSent(AMOUNT);
    account.company.deny(there, 'Mileage');
    await account.poll();
    await account.waitForClaim(invoiceId, 'denied');
    await account.client.post(`/invoices/${invoiceId}/approve`, {});
    await pause();
    const { status } = await account.client.post(`/claims/${claim.id}/rebill`, {});
    expect(status).to.equal(200);
    return { invoiceId, claimId: claim.id as string };
  }

  for (const reports of [
    [SENT, ACCEPTED, PAID],
    [PAID, SENT, ACCEPTED],
    [ACCEPTED, PAID, PAID, SENT],
  ])
    it(`${reports.map(({ state }) => state).join(', ')} pay the invoice once`, async () => {
      const { invoiceId, claimId } = await rebill();
      await report(claimId, ...reports);
      expect(await account.readClaim(invoiceId)).to.include({
        status: 'paid',
        attempt: 2,
        paid_cents: AMOUNT,
      });
      const invoice = await account.readInvoice(invoiceId);
      expect(invoice).to.include({ status: 'paid', paid_cents: AMOUNT, balance_due_cents: 0 });
      expect(invoice.delivery.state).to.equal('sent');
      expect(await account.listPayments(invoiceId)).to.deep.equal([AMOUNT]);
      await resume();
    });

  it('a payment of more than the invoice owes is not recorded, because it may be here already', async () => {
    const { invoiceId, claim } = await account.releaseSent(AMOUNT);
    const check = { amount_cents: 3_000, method: 'motor_club' };
    await account.client.post(`/invoices/${invoiceId}/payments`, check);
    await report(claim.id, { ...PAID, attempt: 1 });
    expect(await account.listPayments(invoiceId)).to.deep.equal([3_000]);
    expect(await account.readClaim(invoiceId)).to.include({ status: 'submitted', paid_cents: 0 });
    await report(claim.id, { ...PAID, attempt: 1, amount_cents: AMOUNT - 3_000 });
    expect((await account.readInvoice(invoiceId)).status).to.equal('paid');
  });

  it('an invoice that is edited while RoadSync takes its claim is withdrawn there', async () => {
    clubs.double.misbehave = (name) => (name.endsWith('/send') ? { kind: 'status', status: 500 } : undefined);
    const before = account.company.invoices.length;
    const invoiceId = await account.release(AMOUNT);
    await eventually('it is created there', () => account.company.invoices.length > before);
    await pause();
    const claim = await account.readClaim(invoiceId);
    await account.client.post(`/invoices/${invoiceId}/dispute`, { reason: 'Wrong' });
    await account.client.post(`/invoices/${invoiceId}/return`, {});
    clubs.double.misbehave = () => undefined;
    await report(claim.id, { ...SENT, attempt: 1 });
    expect((await account.readInvoice(invoiceId)).status).to.equal('needs_review');
    await resume();
    await account.waitForClaim(invoiceId, 'withdrawn');
    expect(account.findLast().deletedAt).to.be.a('number');
  });
});
