/**
 * Kills the worker of the books at Xero at the moments when a power failure would do the most
 * damage. Afterwards the books agree with the account, and hold nothing twice.
 */
import { expect } from 'chai';
import type { TestProcess } from '../../../support/load/processes.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';
import { type XeroAccount, XeroBooking } from '../../../support/vendors/xero-booking.js';

describe('books at Xero whose worker is killed', () => {
  requireContracts();
  let booking: XeroBooking;
  let account: XeroAccount;
  let workers: KillableWorkers;

  before(async () => {
    booking = await XeroBooking.start({ integrations: false });
    workers = new KillableWorkers(booking.stack);
    await workers.start();
    account = await booking.createAccount();
    await workers.stop();
  });
  afterEach(async () => {
    booking.double.misbehave = () => undefined;
    await workers?.stop();
  });
  after(async () => {
    await booking?.stop();
    expect(booking?.double.violations ?? []).to.deep.equal([]);
  });

  async function settle(): Promise<void> {
    await account.settle();
    await account.waitForNotices();
  }

  /** Runs a change while a worker dies of it, and lets another worker finish. */
  async function survive(dying: TestProcess, change: () => Promise<unknown>): Promise<void> {
    const changing = change();
    await workers.replace(dying, account.tenant.id);
    await changing;
    await settle();
    await account.pullAll();
    await settle();
  }

  it('an invoice and its customer are entered once if the worker dies after a write', async () => {
    const released: string[] = [];
    await survive(await workers.startProcess('after_vendor_write'), async () => {
      released.push((await account.release()).id);
    });
    const { bookkeeper } = account;
    expect(bookkeeper.countCustomers()).to.equal(1);
    expect(bookkeeper.listInvoices()).to.have.length(1);
    expect(bookkeeper.listInvoices()[0]).to.include({ ownId: released[0], balanceCents: 12_500 });
    expect(await account.listIssues()).to.deep.equal([]);
  });

  for (const [label, kind] of [
    ['before', 'cut_before'],
    ['after', 'cut_after'],
  ] as const)
    it(`a payment that gets smaller is entered once if the worker dies ${label} Xero has entered it again`, async () => {
      await workers.start();
      const [invoice, booked] = await account.releaseBooked();
      const payment = await account.pay(invoice.id, 12_500);
      await settle();
      await workers.stop();
      const dying = await workers.startProcess();
      let isDead = false;
      booking.double.misbehave = (name) => {
        if (isDead || name !== 'PUT Payments') return undefined;
        isDead = true;
        dying.signal('SIGKILL');
        return { kind };
      };
      await survive(dying, async () => {
        const body = { amount_cents: 2500, reason: 'Part' };
        expect((await account.client.post(`/payments/${payment.id}/refund`, body)).status).to.be.within(
          200,
          201,
        );
        await account.hurry([]);
      });
      expect(isDead).to.equal(true);
      expect(account.listOpen(booked).map(({ Amount }) => Amount)).to.deep.equal([100]);
      expect(await account.listPayments(invoice.id)).to.have.length(1);
      expect(await account.listIssues()).to.deep.equal([]);
    });
});
