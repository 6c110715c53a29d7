import {
  type BackfillResult,
  countBooked,
  insertReleased,
  runBackfill,
} from '../test/support/vendors/backfill/backfill.js';
import { BookingStack } from '../test/support/vendors/booking.js';
import type { BooksAccount } from '../test/support/vendors/books/books-account.js';
import { KillableWorkers } from '../test/support/vendors/killable-workers.js';
import { XeroBooking } from '../test/support/vendors/xero-booking.js';
import { print, printMachine } from './support/report.js';
import { startStores } from './support/stores.js';

// Enters the released invoices of an account in the books of each accounting vendor, at its double
// and without its limits of calls. Kills the worker several times at moments that follow from the
// seed. Then counts both sides: each invoice must be in the books exactly once. With 50,000
// invoices, Xero takes half an hour on a busy machine.
const INVOICES = Number(process.env.BENCH_INVOICES ?? 5000);
const KILLS = Number(process.env.BENCH_KILLS ?? 6);
const SEED = process.env.BENCH_SEED ?? 'backfill';
const VENDORS = (process.env.BENCH_VENDORS ?? 'quickbooks,xero').split(',');
const MONTHS = 12;
const HOUR_MS = 3_600_000;

async function measure(label: string, Booking: typeof BookingStack | typeof XeroBooking): Promise<void> {
  const stores = await startStores({ redis: false });
  const booking = await Booking.start({ integrations: false, databaseUrl: stores.databaseUrl });
  const { double, stack } = booking;
  // A webhook would name each invoice that this service has just written.
  double.webhooks.habits.isLost = true;
  const workers = new KillableWorkers(stack);
  await workers.start();
  const account: BooksAccount<unknown> = await booking.createAccount();
  await workers.stop();
  await insertReleased(stack, account.tenant.id, { invoices: INVOICES, months: MONTHS });
  await stack.runAsOwner('analyze');
  const before = { ...double.traffic };
  const calls = double.calls.length;
  const result = await runBackfill(account, workers, {
    invoices: INVOICES,
    months: MONTHS,
    kills: KILLS,
    seed: SEED,
    timeoutMs: HOUR_MS,
  });
  const { received, sent } = double.traffic;
  report(label, result, {
    calls: double.calls.length - calls,
    received: received - before.received,
    sent: sent - before.sent,
  });
  reportCalls(double.calls.slice(calls).map(({ name }) => name));
  const beforePull = double.traffic.sent;
  await account.pullAll(HOUR_MS);
  const pulled = double.traffic.sent - beforePull;
  print(`  a regular pull that finds them all: ${toKilobytes(pulled)} from the vendor for 1,000 invoices`);
  const counts = await countBooked(account);
  const { ours, inBooks, doubled, skipped, linked, wrong } = counts;
  print(
    `  ${ours} invoices here, ${inBooks} in the books (${linked} linked): ${doubled} doubled, ${skipped} skipped, ${wrong} with another total (bar: 0, 0 and 0)`,
  );
  if (doubled + skipped + wrong > 0 || linked !== INVOICES) process.exitCode = 1;
  print(
    `  open sync issues: ${(await account.listIssues()).length}; violations of the vendor's contract: ${double.violations.length}`,
  );
  await workers.stop();
  await booking.stop();
  await stores.stop();
}

/** Bytes of all invoices, as kilobytes of 1,000 invoices. */
const toKilobytes = (bytes: number): string => `${Math.round(bytes / INVOICES)} kB`;

function report(
  label: string,
  { killedAt, seconds, peakMb }: BackfillResult,
  { calls, received, sent }: { calls: number; received: number; sent: number },
): void {
  print(
    `${label}: ${INVOICES} invoices in ${Math.round(seconds)} s, ${(INVOICES / seconds).toFixed(1)}/s, seed ${SEED}`,
  );
  print(`  killed when the books had ${killedAt.join(', ')} invoices; peak memory of a worker ${peakMb} MB`);
  print(
    `  for 1,000 invoices: ${Math.round((calls / INVOICES) * 1000)} calls, ${toKilobytes(received)} to the vendor, ${toKilobytes(sent)} from it (egress)`,
  );
}

function reportCalls(names: readonly string[]): void {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  print(`  calls: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`);
}

printMachine();
if (VENDORS.includes('quickbooks')) await measure('QuickBooks', BookingStack);
if (VENDORS.includes('xero')) await measure('Xero', XeroBooking);
process.exit();
