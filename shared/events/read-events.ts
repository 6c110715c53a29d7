import type { Database, SqlQuery } from '../platform/postgres/database.js';
import { type EventPosition, positionBeforeTransaction } from './event-position.js';

/**
 * A page of a tenant's events, sorted by the number of the transaction that recorded them, then by
 * id.
 *
 * Transactions do not commit in the sequence of their numbers, so an event with a low number may
 * appear late. A page therefore ends before the number of the oldest transaction that still runs
 * (`pg_snapshot_xmin`). All transactions below that number have ended, and later commits have
 * higher numbers, so a reader misses no event.
 *
 * Transaction numbers are valid in one database cluster only. After you restore a dump into another
 * cluster, clear them: `update events set xid = null`.
 */
export interface EventPage {
  events: StoredEvent[];
  /** A reader of this page has received all events up to this position. */
  position: EventPosition;
  hasMore: boolean;
  /** True if a committed event is missing from the page because an older transaction still runs. */
  hasWithheldEvents: boolean;
}

export interface StoredEvent {
  position: EventPosition;
  type: string;
  /** One line of JSON. */
  body: string;
}

const PAGE_EVENTS = 200;
/**
 * A page ends with the event that crosses this limit, so that large bodies do not fill the memory.
 */
const PAGE_BYTES = 1024 * 1024;

export async function readEvents(db: Database, tenantId: string, after: EventPosition): Promise<EventPage> {
  const rows = await db.read<PageRow>(tenantId, buildPageQuery(tenantId, after));
  const [first] = rows;
  if (!first) throw new Error('the query for events returned no watermark');
  const watermark = BigInt(first.watermark);
  const found = rows.filter((row): row is FoundRow => row.xid !== null);
  const events = found
    .filter((row) => row.body !== null)
    .map(({ xid, id, type, body }) => ({ position: { xid: BigInt(xid), id }, type, body: body ?? '' }));
  const last = events.at(-1);
  const available = first.found ?? 0;
  const hasMore = events.length === found.length && (found.length < available || available === PAGE_EVENTS);
  if (last && hasMore) return { events, position: last.position, hasMore, hasWithheldEvents: false };
  const position = positionBeforeTransaction(watermark);
  return { events, position, hasMore: false, hasWithheldEvents: events.length < available };
}

interface PageRow {
  watermark: string;
  /** Number of events found before the byte limit was applied; null if none. */
  found: number | null;
  xid: string | null;
  id: string | null;
  type: string | null;
  /** Null if the event is withheld ({@link EventPage.hasWithheldEvents}). */
  body: string | null;
}

interface FoundRow extends PageRow {
  xid: string;
  id: string;
  type: string;
}

function buildPageQuery(tenantId: string, after: EventPosition): SqlQuery {
  return {
    name: 'read-events',
    text: `select w.xmin::text as watermark, e.found, e.xid::text as xid, e.id, e.type, case when e.xid < w.xmin then e.body end as body
           from (select pg_snapshot_xmin(pg_current_snapshot()) as xmin) w
           left join lateral (
             select p.* from (
               select t.*, count(*) over ()::int as found,
                 sum(octet_length(t.body)) over (order by t.xid, t.id rows between unbounded preceding and 1 preceding) as bytes_before
               from (
                 select xid, id, type, body from events
                 where tenant_id = $1 and (xid, id) > ($2::text::xid8, $3::uuid) order by xid, id limit ${PAGE_EVENTS}
               ) t
             ) p where p.bytes_before is null or p.bytes_before < ${PAGE_BYTES}
           ) e on true
           order by e.xid, e.id`,
    values: [tenantId, after.xid.toString(), after.id],
  };
}

/**
 * Returns the current position. A reader that starts from this position receives all events that
 * commit from now on.
 */
export async function readCurrentPosition(db: Database, tenantId: string): Promise<EventPosition> {
  const [row] = await db.read<{ watermark: string }>(tenantId, {
    name: 'event-watermark',
    text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as watermark',
  });
  if (!row) throw new Error('PostgreSQL returned no watermark');
  return positionBeforeTransaction(BigInt(row.watermark));
}
