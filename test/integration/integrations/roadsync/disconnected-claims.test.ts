import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('claims whose connection to RoadSync was disconnected', () => {
  requireContracts();
  const clubs = useClubStack();

  it('a claim that is withdrawn, and one whose invoice is voided, are void at RoadSync after a new connection', async () => {
    const account = await clubs.createAccount();
    const one = await account.releaseSent();
    const other = await account.releaseSent();
    await account.client.delete(`/connections/${account.connectionId}`);
    await account.connect({});
    await account.client.post(`/claims/${one.claim.id}/withdraw`, { reason: 'Connected again' });
    await account.client.post(`/invoices/${other.invoiceId}/void`, { reason: 'Duplicate' });
    await eventually('both are void there', async () => {
      await account.hurry([]);
      return account.listOpen().length === 0;
    });
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('without a new connection, a person is asked to void the invoice there', async () => {
    const account = await clubs.createAccount();
    const { claim, there } = await account.releaseSent();
    await account.client.delete(`/connections/${account.connectionId}`);
    await account.client.post(`/claims/${claim.id}/withdraw`, { reason: 'Connected no more' });
    const issue = await eventually('an issue is open', async () => {
      await account.hurry([]);
      return (await account.listIssues())[0];
    });
    expect(issue).to.deep.include({ record_kind: 'claim', record_id: claim.id });
    expect(issue.message).to.contain('void it there yourself');
    expect(there.deletedAt).to.equal(undefined);
  });
});
