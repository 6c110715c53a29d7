import type { RoadSyncCompany, RoadSyncInvoice } from './company.js';
import { RoadSyncRefusal } from './refusal.js';
import { readMicros, toStamp } from './time.js';

/** The most invoices that RoadSync returns at once. */
export const MAX_LIMIT = 21;

/** How `grandTotal` is written. The contract has an integer, and its examples mean dollars. */
export type TotalUnit = 'whole_dollars' | 'dollars' | 'cents';

/** The invoice as RoadSync returns it. Absent members are undefined. */
export function renderInvoice(company: RoadSyncCompany, invoice: RoadSyncInvoice, unit: TotalUnit) {
  const { id, invoiceNumber, token, content, status, failedReason, depositStatus } = invoice;
  const stamp = (micros?: number) => (micros === undefined ? undefined : toStamp(micros));
  const cents = company.totalCents(invoice);
  const dollars = unit === 'whole_dollars' ? Math.round(cents / 100) : cents / 100;
  return {
    ...content,
    id,
    invoiceNumber,
    token,
    companyId: company.id,
    type: 'invoice',
    status,
    failedReason,
    grandTotal: unit === 'cents' ? cents : dollars,
    void: invoice.deletedAt !== undefined,
    createdAt: toStamp(invoice.createdAt),
    updatedAt: toStamp(invoice.updatedAt),
    deletedAt: stamp(invoice.deletedAt),
    authorizedAt: stamp(invoice.authorizedAt),
    depositStatus,
  };
}

/**
 * Returns the invoices that a query names, the newest first. A change of the list between two pages
 * shifts the pages, as offsets do.
 */
export function findInvoices(company: RoadSyncCompany, query: URLSearchParams): RoadSyncInvoice[] {
  const newestFirst = company.invoices.filter(({ isUnlisted }) => !isUnlisted).toReversed();
  const number = query.get('invoiceNumber');
  if (number !== null) return newestFirst.filter(({ invoiceNumber }) => String(invoiceNumber) === number);
  const statuses = query.getAll('status');
  const isDeletedWanted = query.has('fromDeletedAt') || query.has('toDeletedAt');
  const hasField = readFieldFilter(query.get('customField'));
  return newestFirst.filter(
    (invoice) =>
      (statuses.length === 0 || statuses.includes(invoice.status)) &&
      (invoice.deletedAt !== undefined) === isDeletedWanted &&
      (!isDeletedWanted || isWithin(invoice.deletedAt, query, 'DeletedAt')) &&
      isWithin(invoice.authorizedAt, query, 'AuthorizedAt') &&
      hasField(invoice),
  );
}

/** Both ends of a range are excluded: "after this date", "before this date". */
function isWithin(
  micros: number | undefined,
  query: URLSearchParams,
  name: 'AuthorizedAt' | 'DeletedAt',
): boolean {
  const [from, to] = [query.get(`from${name}`), query.get(`to${name}`)];
  if (from === null && to === null) return true;
  if (micros === undefined) return false;
  return (from === null || micros > readMicros(from)) && (to === null || micros < readMicros(to));
}

function readFieldFilter(text: string | null): (invoice: RoadSyncInvoice) => boolean {
  if (text === null) return () => true;
  const wanted = parseField(text);
  if (typeof wanted?.name !== 'string' || wanted.value === undefined)
    throw new RoadSyncRefusal('invalid_custom_field', 'customField is not {name, value}');
  const { name, value } = wanted;
  return ({ content }) => content.customFields?.[name] === value;
}

function parseField(text: string): { name?: unknown; value?: unknown } | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Cuts a page out of a list. */
export function takePage<T>(all: readonly T[], query: URLSearchParams): T[] {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Number(query.get('limit') ?? MAX_LIMIT);
  if (!(offset >= 0) || !(limit >= 1) || limit > MAX_LIMIT)
    throw new RoadSyncRefusal('invalid_paging', `limit is 1 to ${MAX_LIMIT}, and offset at least 0`);
  return all.slice(offset, offset + limit);
}
