/**
 * Enters released invoices in the books of both vendors while the worker is killed several times.
 * `npm run bench:backfill` does the same with 5,000 invoices, or as many as BENCH_INVOICES says.
 */
import { expect } from 'chai';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { countBooked, insertReleased, runBackfill } from '../../../support/vendors/backfill/backfill.js';
import { BookingStack } from '../../../support/vendors/booking.js';
import type { BooksAccount } from '../../../support/vendors/books/books-account.js';
import { KillableWorkers } from '../../../support/vendors/killable-workers.js';
import { XeroBooking } from '../../../support/vendors/xero-booking.js';

const INVOICES = 200;
const MONTHS = 3;
/** The moments of the kills follow from it. A failure names it. */
const SEED = process.env.BACKFILL_SEED ?? 'backfill-1';

for (const Booking of [BookingStack, XeroBooking])
  describe(`a backfill of the books whose worker is killed: ${Booking.name}`, () => {
    let booking: BookingStack | XeroBooking;
    let account: BooksAccount<unknown>;
    let workers: KillableWorkers;

    before(async () => {
      booking = await Booking.start({ integrations: false });
      booking.double.webhooks.habits.isLost = true;
      workers = new KillableWorkers(booking.stack);
    });
    after(async () => {
      await workers?.stop();
      await booking?.stop();
      expect(booking?.double.violations ?? []).to.deep.equal([]);
    });

    it(`books each of ${INVOICES} invoices once, after three kills (seed ${SEED})`, async () => {
      await workers.start();
      account = await booking.createAccount();
      await workers.stop();
      await insertReleased(booking.stack, account.tenant.id, { invoices: INVOICES, months: MONTHS });
      const { killedAt } = await runBackfill(account, workers, {
        invoices: INVOICES,
        months: MONTHS,
        kills: 3,
        seed: SEED,
        timeoutMs: 60_000,
      });
      expect(killedAt).to.have.length(3);
      expect(await countBooked(account)).to.deep.equal({
        ours: INVOICES,
        inBooks: INVOICES,
        doubled: 0,
        skipped: 0,
        linked: INVOICES,
        wrong: 0,
      });
      expect(await account.listIssues()).to.deep.equal([]);
    });

    it('a comparison whose worker is killed around several pages counts every invoice once', async () => {
      const { client, tenant, connectionId } = account;
      const path = `/connections/${connectionId}/reconciliation`;
      const month = (at: number) => new Date(at).toISOString().slice(0, 7);
      const months = { from: month(Date.now() - (MONTHS + 1) * 31 * 86_400_000), to: month(Date.now()) };
      await workers.stop();
      expect((await client.post(path, months)).status).to.equal(200);
      for (const failpoint of ['before_page_stored', 'after_page_stored', 'before_page_stored']) {
        const dying = await workers.startProcess(failpoint, { LIFTS_LIMITS: 'true' });
        await account.hurry();
        expect(await dying.waitForExit()).to.include({ signal: 'SIGKILL' });
        await workers.endLeases(tenant.id);
      }
      await workers.start();
      const report = await eventually('the comparison is complete', async () => {
        await account.hurry([]);
        const { body } = await client.get(path);
        return body.status === 'complete' && body;
      });
      const sum = (side: 'ours' | 'theirs', member: string) =>
        report.months.reduce((all: number, one: Json) => all + one[side][member], 0);
      for (const side of ['ours', 'theirs'] as const) {
        expect(sum(side, 'invoices'), side).to.equal(INVOICES);
        expect(sum(side, 'invoiced_cents'), side).to.equal(
          INVOICES * 12_500 + (INVOICES * (INVOICES + 1)) / 2,
        );
      }
      expect(report.differences).to.equal(0);
    });
  });
