import { isUuid } from '../../../platform/ids.js';
import type { Change, OpenConnection, Page, PullStart } from '../../contract/connection.js';
import { callXero } from './client.js';
import { parseTime, toModifiedSince } from './dates.js';

/** A pull reads again what changed this long before its start, because lists lag behind. */
const OVERLAP_MS = 120_000;
/** The first pull of a connection looks this far back. */
const FIRST_PULL_MS = 86_400_000;
const PAGE_SIZE = 100;
/** Xero accepts no larger page. */
const MAX_PAGE_SIZE = 1000;
/** The number of ids in one request, because they are a part of its URL. */
const MAX_IDS = 40;

export interface XeroRecord {
  UpdatedDateUTC?: string;
}

export interface Entity<R extends XeroRecord, State> {
  list: 'Contacts' | 'Invoices' | 'Payments';
  /** The query of each read. It keeps what we do not need out of the answers. */
  query: Readonly<Record<string, string>>;
  toChange: (record: R) => Change<State>;
}

/** A place in a list of records in the order of their changes. */
export interface ListPlace {
  /** The time of change of the last record that was read; absent on the first page. */
  after?: number;
  size?: number;
  page?: number;
}

/** Up to `since`, earlier pulls have read. The other members are set while a pull reads pages. */
interface Place extends ListPlace {
  since: number;
  startedAt?: number;
}

/** Reads what changed since the cursor. */
export async function pullChanges<R extends XeroRecord, State>(
  connection: OpenConnection,
  { cursor, since }: PullStart,
  entity: Entity<R, State>,
): Promise<Page<State>> {
  const stored = cursor === null ? undefined : (JSON.parse(cursor) as Place);
  // A pull that is reading pages begins anew if it was asked for what is older.
  const isCovered = stored?.startedAt !== undefined && since !== null && stored.since <= Date.parse(since);
  const start: Place =
    since !== null && !isCovered
      ? { since: Date.parse(since) }
      : (stored ?? { since: Date.now() - FIRST_PULL_MS });
  const { startedAt = Date.now(), since: began, ...place } = start;
  const list = { list: entity.list, query: entity.query, pageSize: PAGE_SIZE };
  const { records, next } = await readInOrder<R>(connection, list, { after: began, ...place });
  const changes = records.map(entity.toChange);
  if (next === null)
    return { changes, cursor: JSON.stringify({ since: startedAt - OVERLAP_MS }), isLast: true };
  return { changes, cursor: JSON.stringify({ since: began, startedAt, ...next }), isLast: false };
}

/**
 * Reads a page of a list in the order of the changes. Each page begins anew at the time of the last
 * record. A record that is changed during the read moves to the end, and so shifts no record out of
 * the next page.
 * @returns `next` is null after the last page
 */
export async function readInOrder<R extends XeroRecord>(
  connection: OpenConnection,
  { list, query, pageSize }: Pick<Entity<R, unknown>, 'list' | 'query'> & { pageSize: number },
  { after, size = pageSize, page = 1 }: ListPlace,
): Promise<{ records: R[]; next: ListPlace | null }> {
  const answer = await callXero<Record<string, R[] | undefined>>(connection, {
    method: 'GET',
    path: `/${list}`,
    query: { ...query, order: 'UpdatedDateUTC ASC', page: String(page), pageSize: String(size) },
    ...(after === undefined ? {} : { modifiedSince: toModifiedSince(after) }),
  });
  const records = answer[list] ?? [];
  if (records.length < size) return { records, next: null };
  const last = parseTime(records.at(-1)?.UpdatedDateUTC);
  return { records, next: findNext({ ...(after === undefined ? {} : { after }), size, page }, last) };
}

/**
 * Finds the next page. If a whole page was changed within the same second, the next one begins at
 * the same record and is larger.
 */
function findNext(
  { size, page, ...place }: ListPlace & { size: number; page: number },
  last: number | undefined,
): ListPlace {
  const { after } = place;
  const isLater =
    last !== undefined && (after === undefined || toModifiedSince(last) > toModifiedSince(after));
  if (isLater) return { after: last };
  if (size < MAX_PAGE_SIZE) return { ...place, size: Math.min(size * 2, MAX_PAGE_SIZE) };
  return { ...place, size, page: page + 1 };
}

/** Reads the contacts or invoices that items of webhooks named. */
export async function readNamed<R extends XeroRecord, State>(
  connection: OpenConnection,
  hints: readonly string[],
  { list, query, toChange }: Entity<R, State>,
): Promise<Change<State>[]> {
  const changes: Change<State>[] = [];
  for (const ids of chunk(hints)) {
    const answer = await callXero<Record<string, R[] | undefined>>(connection, {
      method: 'GET',
      path: `/${list}`,
      query: { ...query, IDs: ids.join(','), page: '1', pageSize: String(PAGE_SIZE) },
    });
    changes.push(...(answer[list] ?? []).map(toChange));
  }
  return changes;
}

/** Splits ids so that they fit a URL. Omits what is no id. */
export function chunk(ids: readonly string[]): string[][] {
  const valid = [...new Set(ids)].filter(isUuid);
  return Array.from({ length: Math.ceil(valid.length / MAX_IDS) }, (_, nth) =>
    valid.slice(nth * MAX_IDS, (nth + 1) * MAX_IDS),
  );
}
