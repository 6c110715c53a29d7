import { failpoint } from '../../../shared/config/failpoints.js';
import type { ListedInvoice } from '../../../shared/integrations/contract/accounting.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import {
  markSeen,
  type NewBookDifference,
  storeDifferences,
} from '../../../shared/resources/books/reconciliation/found-rows.js';
import {
  findComparedInvoices,
  isIssued,
  listIssuedInvoices,
} from '../../../shared/resources/books/reconciliation/our-invoices.js';
import {
  endReconciliations,
  lockReconciliation,
  type Place,
  type Reconciliation,
  storeReconciliationPage,
} from '../../../shared/resources/books/reconciliation/rows.js';
import type { Step } from '../vendor/step.js';
import { compareInvoice, type Pair } from './compare-invoice.js';
import { getAccounting } from './get-accounting.js';
import { addOurs, addTheirs } from './month-sums.js';

/** How many of our invoices one step compares. Each that was not found may cost a call. */
const OURS_PER_PAGE = 100;

/** A page of QuickBooks has 100 invoices, one of Xero at least 500. */
const MAX_PAGES = 1000;
const TOO_MANY = 'These months have too many invoices in the books. Compare fewer months.';

const FIRST: Place = { side: 'theirs', after: null, pages: 0 };

/** One page of either side, as it was read. */
interface ReadPage {
  next: Place | null;
  /** Adds the page to the sums. Returns the differences. */
  store(tx: Transaction, current: Reconciliation): Promise<readonly NewBookDifference[]>;
}

/**
 * Compares one page of the months that the account wants to compare. The sums, the differences and
 * the place of the next page are stored together, so that a worker which dies loses at most a read.
 */
export async function comparePage(step: Step, reconciliation: Reconciliation): Promise<void> {
  const place = reconciliation.place ?? FIRST;
  const read = place.side === 'theirs' ? readTheirs : readOurs;
  const { next, store } = await read(step, reconciliation, place);
  failpoint(step.services.runtime.config, 'before_page_stored');
  const { connection } = step;
  await step.finish({
    // A page of ours may need no call. It shows nothing about the vendor then.
    error: step.caller.calls.length > 0 ? undefined : null,
    async store(tx) {
      const current = await lockReconciliation(tx, connection, reconciliation.id);
      // It may have ended meanwhile, or another one may have replaced it.
      if (!current) return;
      const news = await store(tx, current);
      await storeDifferences(tx, connection, { reconciliation: current, news });
      await storeReconciliationPage(tx, connection, { reconciliation: current, next: next ?? place });
      const isTooLong = (next?.pages ?? 0) >= MAX_PAGES && place.side === 'theirs';
      if (next !== null && !isTooLong) return;
      const ended = { tenant_id: connection.tenantId, id: connection.connectionId };
      await endReconciliations(tx, [ended], { error: isTooLong ? TOO_MANY : null });
    },
  });
  failpoint(step.services.runtime.config, 'after_page_stored');
}

/** Reads a page of the books, and compares each invoice with ours. */
async function readTheirs(step: Step, { from, until }: Reconciliation, place: Place): Promise<ReadPage> {
  const { invoices } = getAccounting(step);
  const page = toStorable(await invoices.listByDay(await step.open(), { from, until, after: place.after }));
  return {
    next:
      page.next === null
        ? { ...FIRST, side: 'ours' }
        : { ...place, after: page.next, pages: place.pages + 1 },
    store: (tx, current) => storeTheirs(tx, step, { current, invoices: page.invoices }),
  };
}

async function storeTheirs(
  tx: Transaction,
  step: Step,
  { current, invoices }: { current: Reconciliation; invoices: readonly ListedInvoice[] },
): Promise<NewBookDifference[]> {
  const pairs = await findPairs(tx, step, { current, invoices });
  const seen = pairs.map(({ theirs: { externalId }, ours, isDuplicate }) => ({
    externalId,
    invoiceId: isDuplicate ? null : (ours?.id ?? null),
  }));
  const unseen = await markSeen(tx, step.connection, { reconciliation: current, seen });
  const fresh = pairs.filter(({ theirs }) => unseen.has(theirs.externalId));
  for (const { theirs, ours, isFirst } of fresh) {
    addTheirs(current, theirs);
    if (ours && isFirst && isIssued(ours)) addOurs(current, ours);
  }
  return comparePairs(step, fresh, current);
}

interface FoundPair extends Pair {
  theirs: ListedInvoice;
  /** True if the comparison has not found our invoice in the books before. */
  isFirst: boolean;
}

async function findPairs(
  tx: Transaction,
  { connection }: Step,
  { current: comparison, invoices }: { current: Reconciliation; invoices: readonly ListedInvoice[] },
): Promise<FoundPair[]> {
  const records = [...new Map(invoices.map((invoice) => [invoice.externalId, invoice])).values()];
  const found = await findComparedInvoices(tx, connection, { records, comparison });
  const matched = new Set<string>();
  return records.map((theirs) => {
    const { invoice: ours, isMatched = false } = found.get(theirs.externalId) ?? {};
    const isLinked = ours?.external_id === theirs.externalId;
    // The number of an invoice that was void or deleted there may be in use again.
    const isOther = !isLinked && theirs.status !== 'open' && theirs.status !== 'draft';
    if (!ours || isOther) return { theirs, isFirst: false };
    const isKnown = isMatched || matched.has(ours.id);
    const isDuplicate = !isLinked && (isKnown || ours.external_id !== null);
    if (!isDuplicate) matched.add(ours.id);
    return { ours, theirs, isDuplicate, isFirst: !isKnown && !isDuplicate };
  });
}

/**
 * Reads a page of our invoices, and compares those that the list of the books has not contained. An
 * invoice that is linked is read there by its id: the worker may have entered it since, or it may
 * have another date or be deleted.
 */
async function readOurs(step: Step, comparison: Reconciliation, place: Place): Promise<ReadPage> {
  const { connection, db } = step;
  const ours = await db.transaction([connection.tenantId], (tx) =>
    listIssuedInvoices(tx, connection, { comparison, after: place.after, limit: OURS_PER_PAGE }),
  );
  const missing = ours.filter(({ is_matched }) => !is_matched);
  const byId = await readMissing(
    step,
    missing.flatMap(({ external_id }) => external_id ?? []),
  );
  const pairs = missing.map((one) => ({ ours: one, theirs: byId.get(one.external_id ?? '') }));
  const last = ours.at(-1);
  return {
    next: ours.length < OURS_PER_PAGE || !last ? null : { ...place, after: last.id, pages: place.pages + 1 },
    async store(tx, current) {
      const seen = [...byId.keys()].map((externalId) => ({ externalId, invoiceId: null }));
      const unseen = await markSeen(tx, connection, { reconciliation: current, seen });
      for (const id of unseen) addTheirs(current, byId.get(id) as ListedInvoice);
      for (const one of missing) addOurs(current, one);
      return comparePairs(step, pairs, current);
    },
  };
}

async function readMissing(step: Step, ids: readonly string[]): Promise<Map<string, ListedInvoice>> {
  if (ids.length === 0) return new Map();
  const found = toStorable(await getAccounting(step).invoices.readListed(await step.open(), ids));
  return new Map(found.map((invoice) => [invoice.externalId, invoice]));
}

function comparePairs(step: Step, pairs: readonly Pair[], range: Reconciliation): NewBookDifference[] {
  const { label: vendor } = step.vendor.manifest;
  return pairs.flatMap((pair) => compareInvoice(pair, { vendor, range }) ?? []);
}
