import { failpoint } from '../../../shared/config/failpoints.js';
import type { ListedInvoice } from '../../../shared/integrations/contract/accounting.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { INVOICE_KIND } from '../../../shared/resources/books/kinds.js';
import {
  type ComparedInvoice,
  findComparedInvoices,
  listIssuedInvoices,
} from '../../../shared/resources/books/reconciliation/our-invoices.js';
import {
  lockRunningReconciliation,
  type MonthSums,
  type NewBookDifference,
  type Reconciliation,
  type Sums,
  storeReconciliationPage,
} from '../../../shared/resources/books/reconciliation/rows.js';
import { markCompared } from '../../../shared/sync/external-ids.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import type { Step } from '../vendor/step.js';
import { compareInvoice, toMonth } from './compare-invoice.js';
import { getAccounting } from './get-accounting.js';

/** How many of our invoices one step compares. Each that was not found may cost a call. */
const OURS_PER_PAGE = 100;

/** The position at which the comparison continues. */
interface Place {
  /** The comparison that has read so far. */
  reconciliation: string;
  /** First the invoices in the books are read, then ours. */
  side: 'theirs' | 'ours';
  after: string | null;
}

/** One page of either side, as it was read. */
interface ReadPage {
  next: Place | null;
  store(tx: Transaction, current: Reconciliation): Promise<readonly NewBookDifference[]>;
}

/**
 * Compares one page of the months that the account wants to compare. The sums, the differences and
 * the place of the next page are stored together, so that a worker which dies loses at most a read.
 */
export async function reconcileBooks(step: Step, stream: DueStream): Promise<void> {
  const running = await step.db.transaction([step.connection.tenantId], (tx) =>
    lockRunningReconciliation(tx, step.connection),
  );
  const page = running && (await readPage(step, running, findPlace(stream, running)));
  failpoint(step.services.runtime.config, 'before_page_stored');
  await step.finish({
    error: page ? undefined : null,
    async store(tx) {
      const current = page && (await lockRunningReconciliation(tx, step.connection));
      // Another comparison that was started meanwhile begins anew.
      const isSame = current !== undefined && current.id === running?.id;
      if (page && isSame) {
        const news = await page.store(tx, current);
        await storeReconciliationPage(tx, step.connection, {
          reconciliation: current,
          news,
          isLast: page.next === null,
        });
      }
      const next = isSame ? (page?.next ?? null) : null;
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: next && JSON.stringify(next),
        // A finished comparison waits until the account asks for the next one.
        inMs: next ? 0 : null,
        requests: stream.requests,
      });
    },
  });
  failpoint(step.services.runtime.config, 'after_page_stored');
}

function findPlace({ cursor }: DueStream, { id }: Reconciliation): Place {
  const place = cursor === null ? undefined : (JSON.parse(cursor) as Place);
  return place?.reconciliation === id ? place : { reconciliation: id, side: 'theirs', after: null };
}

function readPage(step: Step, running: Reconciliation, place: Place): Promise<ReadPage> {
  return place.side === 'theirs' ? readTheirs(step, running, place) : readOurs(step, running, place);
}

/** Reads a page of the books, and compares each invoice with ours. */
async function readTheirs(step: Step, { from, until }: Reconciliation, place: Place): Promise<ReadPage> {
  const { invoices } = getAccounting(step);
  const page = toStorable(await invoices.listByDay(await step.open(), { from, until, after: place.after }));
  return {
    next: page.next === null ? { ...place, side: 'ours', after: null } : { ...place, after: page.next },
    store: (tx, current) => storeTheirs(tx, step, { current, invoices: page.invoices }),
  };
}

async function storeTheirs(
  tx: Transaction,
  step: Step,
  {
    current: { months, startedAt },
    invoices,
  }: { current: Reconciliation; invoices: readonly ListedInvoice[] },
): Promise<NewBookDifference[]> {
  const byId = new Map(invoices.map((invoice) => [invoice.externalId, invoice]));
  const records = [...byId.values()];
  const found = await findComparedInvoices(tx, step.connection, { records, startedAt });
  const fresh = records.filter(({ externalId }) => !found.get(externalId)?.isSeen);
  for (const { status, day, totalCents, paidCents, creditedCents } of fresh)
    if (status === 'open') add(months, { day, side: 'theirs' }, { totalCents, paidCents, creditedCents });
  const externalIds = fresh.map(({ externalId }) => externalId);
  markCompared(tx, step.connection, { kind: INVOICE_KIND, externalIds });
  const { label } = step.vendor.manifest;
  return fresh.flatMap(
    (theirs) => compareInvoice({ ours: found.get(theirs.externalId)?.invoice, theirs }, label) ?? [],
  );
}

/**
 * Reads a page of our invoices. An invoice that the list of the books has not contained is read
 * there by its id: it may have another date, or be deleted.
 */
async function readOurs(
  step: Step,
  { from, until, startedAt }: Reconciliation,
  place: Place,
): Promise<ReadPage> {
  const { connection, vendor } = step;
  const ours = await step.db.transaction([connection.tenantId], (tx) =>
    listIssuedInvoices(tx, connection, { startedAt, from, until, after: place.after, limit: OURS_PER_PAGE }),
  );
  const missing = ours.filter(({ is_compared }) => !is_compared);
  const ids = missing.flatMap(({ external_id }) => external_id ?? []);
  const named = ids.length > 0 ? await getAccounting(step).invoices.readNamed(await step.open(), ids) : [];
  const byId = new Map(
    toStorable(named).map(({ externalId, fields }) => [externalId, { ...fields, externalId }]),
  );
  const last = ours.at(-1);
  return {
    next: ours.length < OURS_PER_PAGE || !last ? null : { ...place, after: last.id },
    store: (_tx, { months }) => {
      for (const { day, total_cents: totalCents, paid_cents: paidCents } of ours)
        add(months, { day, side: 'ours' }, { totalCents, paidCents, creditedCents: 0 });
      const compare = (invoice: ComparedInvoice) =>
        compareInvoice(
          { ours: invoice, theirs: byId.get(invoice.external_id ?? '') },
          vendor.manifest.label,
        ) ?? [];
      return Promise.resolve(missing.flatMap(compare));
    },
  };
}

const NOTHING: Sums = { invoices: 0, invoiced_cents: 0, paid_cents: 0, credited_cents: 0 };

/** Adds an invoice to the sums of one side of its month. */
function add(
  months: Record<string, MonthSums>,
  { day, side }: { day: string | null; side: 'ours' | 'theirs' },
  invoice: { totalCents: number; paidCents: number; creditedCents: number | null },
): void {
  const month = toMonth(day);
  if (month === null) return;
  const { invoices, invoiced_cents, paid_cents, credited_cents } = months[month]?.[side] ?? NOTHING;
  const { totalCents, paidCents, creditedCents } = invoice;
  const sums: Sums = {
    invoices: invoices + 1,
    invoiced_cents: invoiced_cents + totalCents,
    paid_cents: paid_cents + paidCents,
    credited_cents: credited_cents === null || creditedCents === null ? null : credited_cents + creditedCents,
  };
  months[month] = { ...months[month], [side]: sums };
}
