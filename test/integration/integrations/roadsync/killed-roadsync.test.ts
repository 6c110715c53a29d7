/**
 * Kills the worker that bills clubs at RoadSync at the moments when a power failure would do the
 * most damage. RoadSync knows no idempotency keys, yet nothing is lost or billed twice.
 */
import { expect } from 'chai';
import type { TestProcess } from '../../../support/load/processes.js';
import { type ClubAccount, ClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';

describe('claims at RoadSync whose worker is killed', () => {
  requireContracts();
  let clubs: ClubStack;
  let account: ClubAccount;
  let workers: KillableWorkers;

  before(async () => {
    clubs = await ClubStack.start({ integrations: false });
    workers = new KillableWorkers(clubs.stack);
    await workers.start();
    account = await clubs.createAccount({ denial_rules: [{ contains: 'PO', code: 'missing_po' }] });
    await workers.stop();
  });
  afterEach(async () => {
    clubs.double.misbehave = () => undefined;
    await workers?.stop();
  });
  after(async () => {
    await clubs?.stop();
    expect(clubs?.double.violations ?? []).to.deep.equal([]);
  });

  /** Kills the worker when it makes this call, before or after RoadSync processes it. */
  async function startDyingAt(call: string, kind: 'cut_before' | 'cut_after'): Promise<TestProcess> {
    const dying = await workers.startProcess();
    let isDead = false;
    clubs.double.misbehave = (name) => {
      if (isDead || name !== call) return undefined;
      isDead = true;
      dying.signal('SIGKILL');
      return { kind };
    };
    return dying;
  }

  const DEATHS: [label: string, start: () => Promise<TestProcess>][] = [
    ...['before_vendor_write', 'after_vendor_write', 'after_vendor_result'].map(
      (name): [string, () => Promise<TestProcess>] => [`at ${name}`, () => workers.startProcess(name)],
    ),
    ['after the creation', () => startDyingAt('POST /v1/invoice/', 'cut_after')],
    ['before the files', () => startDyingAt('POST /v1/invoice/{id}/attach', 'cut_before')],
    ['after it was sent', () => startDyingAt('POST /v1/invoice/{id}/send', 'cut_after')],
  ];

  for (const [label, start] of DEATHS)
    it(`an invoice is billed once if the worker dies ${label}`, async () => {
      const before = account.company.invoices.length;
      const dying = await start();
      const invoiceId = await account.release(12_550);
      await account.hurry([]);
      await workers.replace(dying, account.tenant.id);
      const claim = await account.waitForClaim(invoiceId, 'submitted');
      expect(claim.attempt).to.equal(1);
      expect(account.company.invoices).to.have.length(before + 1);
      expect(account.findLast().sends).to.have.length(1);
      expect((await account.readInvoice(invoiceId)).status).to.equal('sent_to_roadsync');
      expect(await account.listIssues()).to.deep.equal([]);
    });

  for (const failpoint of ['before_page_stored', 'after_page_stored'])
    it(`a payment is recorded once if the worker dies at ${failpoint}`, async () => {
      await workers.start();
      const { invoiceId, there } = await account.releaseSent();
      await workers.stop();
      account.company.pay(there);
      const dying = await workers.startProcess(failpoint);
      await account.hurry();
      await workers.replace(dying, account.tenant.id);
      await account.poll();
      await account.waitForClaim(invoiceId, 'paid');
      await account.poll();
      expect(await account.listPayments(invoiceId)).to.deep.equal([12_550]);
    });

  it('a corrected claim is open once if the worker dies between the void and the next attempt', async () => {
    await workers.start();
    const { body: order } = await account.client.post('/work-orders', { service_type: 'tow' });
    const facts = { work_order_id: order.id, po_number: null };
    const { invoiceId, claim, there } = await account.releaseSent(12_550, facts);
    await account.client.patch(`/work-orders/${order.id}`, { notes: 'PO# 88213-A' });
    await workers.stop();
    account.company.deny(there, 'No PO');
    const dying = await startDyingAt('POST /v1/invoice/{id}/void', 'cut_after');
    await account.hurry();
    await workers.replace(dying, account.tenant.id);
    await account.waitForClaim(invoiceId, 'submitted', 2);
    const open = account
      .listOpen()
      .filter(({ content }) => String(content.customFields?.tow_dispatch_claim).startsWith(claim.id));
    expect(open).to.deep.equal([account.findLast()]);
  });
});
