import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('a connection to RoadSync without a location', () => {
  requireContracts();
  const clubs = useClubStack();

  it('asks for the location, and sends what waits once it is entered', async () => {
    const account = new ClubAccount(clubs, await clubs.stack.createTenant());
    const { location_id, ...credentials } = account.credentials;
    const created = await account.client.post('/connections', { vendor: 'roadsync', credentials });
    expect(created.status, created.text).to.equal(201);
    account.connectionId = created.body.id;
    const path = `/connections/${account.connectionId}`;
    const waitForStatus = (status: string) =>
      eventually(`the connection is ${status}`, async () => {
        const { body } = await account.client.get(path);
        return body.status === status && body;
      });
    expect((await waitForStatus('needs_reauth')).status_reason).to.equal(
      'RoadSync needs a location. Enter location_id in the credentials of the connection.',
    );
    await account.createClub();
    const id = await account.release(10_000);
    await account.hurry([]);
    expect(await account.readInvoice(id)).to.include({ status: 'sending' });
    expect(account.company.invoices).to.deep.equal([]);
    await account.client.patch(path, { credentials: { location_id } });
    await eventually('the claim is submitted', async () => {
      return (await account.readClaim(id)).status === 'submitted';
    });
    await waitForStatus('active');
    expect(await account.listIssues()).to.deep.equal([]);
  });
});
