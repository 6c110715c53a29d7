import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

const CORRECTION = {
  po_number: 'PO-NEW',
  line_items: [
    {
      name: 'Tow',
      category: 'tow',
      quantity: 1,
      unit_type: 'each',
      unit_price_cents: 15_000,
      total_cents: 15_000,
      taxable: false,
    },
  ],
};

describe('claims at RoadSync whose invoice was corrected', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  before(async () => {
    account = await clubs.createAccount();
  });

  async function correct(invoiceId: string): Promise<void> {
    const { status, text } = await account.client.patch(`/invoices/${invoiceId}`, CORRECTION);
    expect(status, text).to.equal(200);
    await account.client.post(`/invoices/${invoiceId}/approve`, {});
  }

  function expectThere(amounts: number[], po: string): void {
    const { content } = account.findLast();
    expect(content.lineItems.map(({ amount }) => amount)).to.deep.equal(amounts);
    expect(content.customFields?.po_number).to.equal(po);
  }

  it('a refused claim is sent with the corrected lines and PO', async () => {
    const { shiftIds } = account.company.location;
    shiftIds.push('night');
    const id = await account.release(10_000);
    await eventually('it has failed', async () => (await account.readInvoice(id)).status === 'failed');
    shiftIds.pop();
    await account.client.post(`/invoices/${id}/return`, {});
    await correct(id);
    await account.client.post(`/invoices/${id}/send`, {});
    const claim = await account.waitForClaim(id, 'submitted');
    expect(claim).to.include({ expected_cents: 15_000, po_number: 'PO-NEW' });
    expectThere([150], 'PO-NEW');
  });

  for (const [name, retry] of [
    [
      'the retry of its issue',
      async (issue: string) => account.client.post(`/sync-issues/${issue}/resolve`, { resolution: 'retry' }),
    ],
    [
      'a replay of the connection',
      async () =>
        account.client.post(`/connections/${account.connectionId}/operations/replay`, {
          since: new Date(Date.now() - 3_600_000).toISOString(),
        }),
    ],
  ] as const)
    it(`${name} sends a refused claim with the corrected lines and PO`, async () => {
      const { shiftIds } = account.company.location;
      shiftIds.push('night');
      const id = await account.release(10_000);
      const { id: claimId } = await account.readClaim(id);
      const issue = await eventually('an issue is open', async () =>
        (await account.listIssues()).find(({ record_id }) => record_id === claimId),
      );
      await eventually('it has failed', async () => (await account.readInvoice(id)).status === 'failed');
      shiftIds.pop();
      await account.client.post(`/invoices/${id}/return`, {});
      await correct(id);
      const retried = await retry(issue?.id);
      expect(retried.status, retried.text).to.equal(200);
      const claim = await account.waitForClaim(id, 'submitted');
      expect(claim).to.include({ expected_cents: 15_000, po_number: 'PO-NEW' });
      expectThere([150], 'PO-NEW');
    });

  it('a denied claim is billed again as corrected, with what a person has entered', async () => {
    for (const [entered, amounts, po] of [
      [{}, [150], 'PO-NEW'],
      [{ expected_cents: 9_000, po_number: 'PO-CLUB' }, [150, -60], 'PO-CLUB'],
    ] as const) {
      const { invoiceId, claim, there } = await account.releaseSent(10_000);
      account.company.deny(there, 'Too low');
      await account.poll();
      await account.waitForClaim(invoiceId, 'denied');
      await correct(invoiceId);
      if ('po_number' in entered) await account.client.patch(`/claims/${claim.id}`, entered);
      await account.client.post(`/claims/${claim.id}/rebill`, {});
      await account.waitForClaim(invoiceId, 'submitted', 2);
      expectThere([...amounts], po);
    }
  });
});
