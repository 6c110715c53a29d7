/**
 * Kills the worker of the books at the moments when a power failure would do the most damage.
 * Afterwards the books agree with the account, and hold nothing twice.
 */
import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import type { TestProcess } from '../../../support/load/processes.js';
import { type BookingAccount, BookingStack } from '../../../support/vendors/booking.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';

/** Before the request, after QuickBooks has stored the record, and after this service has. */
const FAILPOINTS = ['before_vendor_write', 'after_vendor_write', 'after_vendor_result'];

describe('books whose worker is killed', () => {
  requireContracts();
  let booking: BookingStack;
  let account: BookingAccount;
  let workers: KillableWorkers;

  before(async () => {
    booking = await BookingStack.start({ integrations: false });
    workers = new KillableWorkers(booking.stack);
    await workers.start();
    account = await booking.createAccount();
    await workers.stop();
  });
  afterEach(() => workers?.stop());
  after(async () => {
    await booking?.stop();
    expect(booking?.double.violations ?? []).to.deep.equal([]);
  });

  async function settle(): Promise<void> {
    await account.hurry([]);
    await account.waitForWrites();
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

  /** The records of an invoice that are not void there, as numbers of each and the balance. */
  function listBooked({ id, invoice_number }: Json): object {
    const invoices = account.company.list('Invoice').filter(({ DocNumber }) => DocNumber === invoice_number);
    const payments = account.company
      .list('Payment')
      .filter(({ Line }) => JSON.stringify(Line ?? []).includes(`"TxnId":"${invoices[0]?.Id}"`));
    expect(invoices.every(({ PrivateNote }) => String(PrivateNote).endsWith(id))).to.equal(true);
    return { invoices: invoices.length, payments: payments.length, balance: invoices[0]?.Balance };
  }

  /** Enters an invoice with the survivors' workers, so that only the next write meets a death. */
  async function prepare(): Promise<Json> {
    await workers.start();
    const invoice = await account.release();
    await settle();
    await workers.stop();
    return invoice;
  }

  for (const failpoint of FAILPOINTS) {
    it(`an invoice and its customer are entered once if the worker dies at ${failpoint}`, async () => {
      const customers = account.company.list('Customer').length;
      let invoice: Json = {};
      await survive(await workers.startProcess(failpoint), async () => {
        invoice = await account.release();
      });
      expect(account.company.list('Customer')).to.have.length(customers + 1);
      expect(listBooked(invoice)).to.deep.equal({ invoices: 1, payments: 0, balance: 125 });
      expect(await account.listIssues()).to.deep.equal([]);
    });

    it(`a payment is entered once if the worker dies at ${failpoint}`, async () => {
      const invoice = await prepare();
      await survive(await workers.startProcess(failpoint), () => account.pay(invoice.id, 5000));
      expect(listBooked(invoice)).to.deep.equal({ invoices: 1, payments: 1, balance: 75 });
      expect(await account.listPayments(invoice.id)).to.have.length(1);
      expect(await account.listIssues()).to.deep.equal([]);
    });
  }
});
