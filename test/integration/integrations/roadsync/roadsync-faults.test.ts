import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

const CREATE = 'POST /v1/invoice/';

describe('faults of RoadSync, and who may be billed through it', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;

  before(async () => {
    account = await clubs.createAccount();
  });

  for (const [name, label] of [
    [CREATE, 'create'],
    ['POST /v1/invoice/{id}/attach', 'attach'],
    ['PATCH /v1/invoice/{id}', 'mark the files of'],
    ['POST /v1/invoice/{id}/send', 'send'],
  ])
    for (const kind of ['cut_before', 'cut_after'] as const)
      it(`a lost answer (${kind}) to the request to ${label} an invoice makes no second invoice`, async () => {
        let isLost = false;
        clubs.double.misbehave = (called) => {
          if (isLost || called !== name) return undefined;
          isLost = true;
          return { kind };
        };
        const before = account.company.invoices.length;
        const { there } = await account.releaseSent();
        expect(isLost).to.equal(true);
        expect(account.company.invoices).to.have.length(before + 1);
        expect([there.status, there.sends]).to.deep.equal([
          'sent',
          [{ email: 'claims@interstate.example.com', phone: undefined }],
        ]);
      });

  it('a lost answer to a void and to the next attempt leaves one open invoice', async () => {
    const { invoiceId, claim, there } = await account.releaseSent();
    account.company.deny(there);
    await account.poll();
    await account.waitForClaim(invoiceId, 'denied');
    await account.client.post(`/invoices/${invoiceId}/approve`, {});
    const lost = new Set<string>();
    clubs.double.misbehave = (name) => {
      if (lost.has(name) || !['POST /v1/invoice/{id}/void', CREATE].includes(name)) return undefined;
      lost.add(name);
      return { kind: 'cut_after' };
    };
    await account.client.post(`/claims/${claim.id}/rebill`, {});
    await account.waitForClaim(invoiceId, 'submitted', 2);
    expect(lost.size).to.equal(2);
    const open = account
      .listOpen()
      .filter(({ content }) => String(content.customFields?.tow_dispatch_claim).startsWith(claim.id));
    expect(open).to.have.length(1);
  });

  it('an invoice that RoadSync refuses fails, a person decides, and the retry sends it once', async () => {
    const shifts = account.company.location.shiftIds;
    shifts.push('night');
    const invoiceId = await account.release(12_550);
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue).to.deep.include({ kind: 'refused', record_kind: 'claim' });
    await eventually('the invoice has failed', async () => {
      const { status, delivery } = await account.readInvoice(invoiceId);
      return status === 'failed' && /A shift of the location is required/.test(delivery.reason);
    });
    shifts.pop();
    await account.client.post(`/sync-issues/${issue?.id}/resolve`, { resolution: 'retry' });
    await account.waitForClaim(invoiceId, 'submitted');
    expect((await account.readInvoice(invoiceId)).status).to.equal('sent_to_roadsync');
  });

  it('one claim that RoadSync cannot show does not keep others from being read', async () => {
    const bad = await account.releaseSent();
    const good = await account.releaseSent();
    account.company.invoices.splice(account.company.invoices.indexOf(bad.there), 1);
    account.company.accept(good.there);
    await account.poll();
    await account.waitForClaim(good.invoiceId, 'accepted');
    const issue = await eventually('an issue is open', async () => (await account.listIssues())[0]);
    expect(issue).to.deep.include({ record_id: bad.claim.id, theirs: { status: 'missing' } });
  });

  /** Lets RoadSync answer with this status whenever one of these invoices is read. */
  function failReads(status: number, ...invoices: { id: string }[]): void {
    const paths = invoices.map(({ id }) => `/v1/invoice/${id}`);
    clubs.double.misbehave = (name) =>
      name === 'GET /v1/invoice/{id}' && paths.includes(clubs.double.calls.at(-1)?.path ?? '')
        ? { kind: 'status', status }
        : undefined;
  }

  it('RoadSync may refuse to show one claim, but a key that it refuses stops the connection', async () => {
    const other = await clubs.createAccount();
    const bad = await other.releaseSent();
    const good = await other.releaseSent();
    const readStatus = async () => (await other.client.get(`/connections/${other.connectionId}`)).body.status;
    other.company.accept(good.there);
    failReads(403, bad.there);
    await other.poll();
    await other.waitForClaim(good.invoiceId, 'accepted');
    expect(await readStatus()).to.equal('active');
    clubs.double.misbehave = () => ({ kind: 'status', status: 403 });
    await other.hurry();
    await eventually('the connection has stopped', async () => (await readStatus()) !== 'active');
  });

  it('a read of all claims reads those behind three that RoadSync cannot show', async () => {
    const other = await clubs.createAccount();
    const claims = [];
    for (let i = 0; i < 5; i++) claims.push(await other.releaseSent());
    const last = claims[4] as (typeof claims)[0];
    other.company.accept(last.there);
    failReads(500, ...claims.slice(1, 4).map(({ there }) => there));
    const since = '2026-01-01T00:00:00Z';
    await other.client.post(`/connections/${other.connectionId}/sync`, { since });
    await other.waitForClaim(last.invoiceId, 'accepted');
  });

  it('an invoice that is released by PATCH, and a claim that a person submits, go to RoadSync too', async () => {
    const patched = await account.createInvoice(10_000);
    const { status } = await account.client.patch(`/invoices/${patched}`, { status: 'sending' });
    expect(status).to.equal(200);
    await account.waitForClaim(patched, 'submitted');
    const byHand = await account.createInvoice(10_000);
    const created = await account.client.post('/claims', { invoice_id: byHand, club: 'By hand' });
    expect(created.status, created.text).to.equal(201);
    const submitted = await account.client.post(`/claims/${created.body.id}/submit`, {});
    expect([submitted.status, submitted.body.status]).to.deep.equal([200, 'queued']);
    await account.waitForClaim(byHand, 'submitted');
    expect(account.findLast().content.name).to.equal('By hand');
  });

  it("billing_connection_id refuses another account's connection, another kind and a disconnected one", async () => {
    const other = await clubs.createAccount();
    const set = (id: string, client = account.client) =>
      client.patch(`/customers/${account.customerId}`, { billing_connection_id: id });
    const foreign = await set(other.connectionId);
    expect([foreign.status, foreign.body.error.details[0]]).to.deep.equal([
      400,
      {
        field: 'billing_connection_id',
        code: 'unknown',
        message: 'billing_connection_id is not a connected motor-club partner of this account',
      },
    ]);
    const writer = await clubs.stack.createKey(account.tenant.id, { permissions: ['read', 'write'] });
    expect((await set(account.connectionId, clubs.stack.createClient(writer))).status).to.equal(403);
    const setOwn = () =>
      other.client.patch(`/customers/${other.customerId}`, { billing_connection_id: other.connectionId });
    const setKind = (kind: string) =>
      clubs.stack.rows(other.tenant.id, 'update connections set kind = $2 where tenant_id = $1', [
        other.tenant.id,
        kind,
      ]);
    await setKind('payments');
    expect((await setOwn()).status).to.equal(400);
    await setKind('motor_club');
    expect((await setOwn()).status).to.equal(200);
    await other.client.delete(`/connections/${other.connectionId}`);
    expect((await setOwn()).status).to.equal(400);
    const invoice = await other.createInvoice(10_000);
    const refused = await other.client.post(`/invoices/${invoice}/send`, {});
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'invalid_status_transition']);
    await other.client.patch(`/customers/${other.customerId}`, { billing_connection_id: null });
    expect((await other.client.post(`/invoices/${invoice}/send`, {})).status).to.equal(200);
  });
});
