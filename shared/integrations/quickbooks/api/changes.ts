import type { Change, OpenConnection, Page, PullStart } from '../../contract/connection.js';
import { VendorError } from '../../contract/vendor-error.js';
import { callBooks, queryBooks, quote, readRecord } from './client.js';

/** The change feed returns at most this many records, and no further pages. */
const FEED_LIMIT = 1000;
/** The change feed looks this far back. */
const FEED_DAYS = 29;
/**
 * A sweep asks the feed for the deletions of this time before it. Changes fill the feed too, so
 * a week of them may leave no room for any.
 */
const DELETIONS_MS = 2 * 86_400_000;
/** By how much a sweep shortens that time if the feed is too long. */
const SHORTER_MS = 43_200_000;
/** The sweeps of two nights start at most this long after each other. */
const NIGHT_TO_NIGHT_MS = 28 * 3_600_000;
/** The worker reads 4 MB at most. An invoice with many lines has some 30 kB. */
const PAGE_SIZE = 100;
/**
 * How many records the next page reads again if a whole page was changed at the same time. One of
 * them that is changed meanwhile then shifts no other out of it.
 */
const SAME_TIME = 20;
/** A pull reads again what changed this long before its start, because feeds lag behind. */
const OVERLAP_MS = 120_000;
/** The first pull of a connection looks this far back. */
const FIRST_PULL_MS = 86_400_000;

/** A record, or what is left of a deleted one. */
export interface BooksRecord {
  Id: string;
  SyncToken: string;
  status?: string;
  MetaData?: { LastUpdatedTime?: string };
}

export interface Entity<Record extends BooksRecord, State> {
  name: 'Customer' | 'Invoice' | 'Payment';
  toChange: (record: Record) => Change<State>;
  /** Builds the change of a record that was deleted. Undefined: a deletion changes nothing here. */
  toDeletion?: (id: string) => Change<State>;
}

interface Place {
  /** Up to then, earlier pulls have read. */
  since: string;
  /** Set while a pull reads page by page, because the change feed would be too long. */
  pages?: Pages;
}

interface Pages extends ListPlace {
  startedAt: string;
}

/** A place in a list of records in the order of their changes. */
export interface ListPlace {
  /** The time of change of the last record that was read; absent on the first page. */
  after?: string;
  /** The position among the records that were changed at that time or later, from 1. */
  position: number;
}

/**
 * Reads what changed since the cursor, from the change feed. If there is too much for the feed,
 * reads by queries.
 */
export async function pullChanges<R extends BooksRecord, State>(
  connection: OpenConnection,
  { cursor, since, isSweep }: PullStart,
  entity: Entity<R, State>,
): Promise<Page<State>> {
  const now = Date.now();
  const stored = cursor === null ? undefined : (JSON.parse(cursor) as Place);
  // A pull that is reading pages begins anew if it was asked for what is older.
  const isCovered =
    stored?.pages !== undefined && since !== null && Date.parse(stored.since) <= Date.parse(since);
  const place: Place =
    since !== null && !isCovered
      ? { since: toTime(Date.parse(since)) }
      : (stored ?? { since: toTime(now - FIRST_PULL_MS) });
  if (place.pages) return readPage(connection, { place, pages: place.pages }, entity);
  const startedAt = toTime(now);
  const firstPage = { place, pages: { startedAt, position: 1 } };
  if (isSweep) {
    // Only the feed shows what was deleted.
    const { deleted, ...gap } = await readDeleted(connection, place.since, entity);
    const page = await readPage(connection, firstPage, entity);
    return { ...page, ...gap, changes: [...deleted, ...page.changes] };
  }
  const feed = await readFeed<R>(connection, place.since, entity.name);
  if (feed === undefined) return readPage(connection, firstPage, entity);
  return { changes: feed.flatMap((record) => toChanges(entity, record)), ...endPull(startedAt) };
}

/** Reads the deletions of the last days. The feed has no end, so a later start makes it shorter. */
async function readDeleted<R extends BooksRecord, State>(
  connection: OpenConnection,
  since: string,
  entity: Entity<R, State>,
): Promise<{ deleted: Change<State>[]; gap?: string }> {
  if (!entity.toDeletion) return { deleted: [] };
  const now = Date.now();
  const first = Math.max(Date.parse(since), now - DELETIONS_MS);
  for (let from = first; from < now; from += SHORTER_MS) {
    const feed = await readFeed<R>(connection, toTime(from), entity.name);
    if (feed === undefined) continue;
    const deleted = feed.filter(({ status }) => status === 'Deleted');
    const isShort = from > first && now - from < NIGHT_TO_NIGHT_MS;
    return {
      deleted: deleted.flatMap((record) => toChanges(entity, record)),
      ...(isShort ? { gap: describeGap(entity.name, toTime(from)) } : {}),
    };
  }
  return { deleted: [], gap: describeGap(entity.name, toTime(now)) };
}

function describeGap(entity: string, until: string): string {
  return `Too much changed for QuickBooks' change feed: deletions (${entity}) before ${until} were not read.`;
}

function endPull(startedAt: string): { cursor: string; isLast: true } {
  const next: Place = { since: toTime(Date.parse(startedAt) - OVERLAP_MS) };
  return { cursor: JSON.stringify(next), isLast: true };
}

/** Returns undefined if the feed cannot hold all changes since that time. */
async function readFeed<R extends BooksRecord>(
  connection: OpenConnection,
  since: string,
  entity: string,
): Promise<R[] | undefined> {
  if (Date.parse(since) < Date.now() - FEED_DAYS * 86_400_000) return undefined;
  try {
    const { CDCResponse } = await callBooks<{
      CDCResponse: { QueryResponse: Record<string, R[] | undefined>[] }[];
    }>(connection, { method: 'GET', path: '/cdc', query: { entities: entity, changedSince: since } });
    const records = CDCResponse.flatMap(({ QueryResponse }) =>
      QueryResponse.flatMap((part) => part[entity] ?? []),
    );
    return records.length < FEED_LIMIT ? records : undefined;
  } catch (error) {
    if (error instanceof VendorError && error.code === 'too_long') return undefined;
    throw error;
  }
}

async function readPage<R extends BooksRecord, State>(
  connection: OpenConnection,
  { place, pages }: { place: Place; pages: Pages },
  entity: Entity<R, State>,
): Promise<Page<State>> {
  const { startedAt, after = place.since, position } = pages;
  const { records, next } = await readInOrder<R>(connection, { name: entity.name }, { after, position });
  const changes = records.map((record) => entity.toChange(record));
  if (next === null) return { changes, ...endPull(startedAt) };
  const cursor: Place = { since: place.since, pages: { startedAt, ...next } };
  return { changes, cursor: JSON.stringify(cursor), isLast: false };
}

/**
 * Reads a page in the order of the changes, from the time of the last record. A record that is
 * changed during the read moves to the end, and so shifts no record out of the next page.
 * @returns `next` is null after the last page
 */
export async function readInOrder<R extends BooksRecord>(
  connection: OpenConnection,
  { name, where }: { name: Entity<R, unknown>['name']; where?: string },
  { after, position }: ListPlace,
): Promise<{ records: R[]; next: ListPlace | null }> {
  const since = after === undefined ? [] : [`MetaData.LastUpdatedTime >= ${quote(after)}`];
  const conditions = [...(where === undefined ? [] : [where]), ...since].join(' and ');
  const records = await queryBooks<R>(
    connection,
    name,
    `where ${conditions} orderby MetaData.LastUpdatedTime startposition ${position} maxresults ${PAGE_SIZE}`,
  );
  if (records.length < PAGE_SIZE) return { records, next: null };
  const last = records.at(-1)?.MetaData?.LastUpdatedTime;
  const isLater = last !== undefined && (after === undefined || Date.parse(last) > Date.parse(after));
  if (isLater) return { records, next: { after: last, position: 1 } };
  const next = { position: position + PAGE_SIZE - SAME_TIME };
  return { records, next: after === undefined ? next : { ...next, after } };
}

function toChanges<R extends BooksRecord, State>(
  { toChange, toDeletion }: Entity<R, State>,
  record: R,
): Change<State>[] {
  if (record.status !== 'Deleted') return [toChange(record)];
  return toDeletion ? [toDeletion(record.Id)] : [];
}

/** Reads the records that items of webhooks named. */
export async function readNamed<R extends BooksRecord, State>(
  connection: OpenConnection,
  hints: readonly string[],
  entity: Entity<R, State>,
): Promise<Change<State>[]> {
  const ids = hints.filter((hint) => /^\d+$/.test(hint));
  if (ids.length === 0) return [];
  const list = ids.map(quote).join(', ');
  const found = await queryBooks<R>(connection, entity.name, `where Id in (${list}) maxresults ${PAGE_SIZE}`);
  const known = new Set(found.map(({ Id }) => Id));
  const missing = ids.filter((id) => !known.has(id));
  // A query may not know yet what was just written, so ask for the record itself. One after the
  // other, so that no further call is made after one that fails.
  for (const id of missing) {
    const record = await readRecord<R>(connection, entity.name, id);
    found.push(record ?? ({ Id: id, SyncToken: '', status: 'Deleted' } as R));
  }
  return found.flatMap((record) => toChanges(entity, record));
}

function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
