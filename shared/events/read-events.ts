import type { Database, Statement } from '../platform/postgres.js';
import { beforeTransaction, type EventPosition } from './event-position.js';

/**
 * How a tenant's events are read in an order to which nothing is added behind a reader. They are sorted by the number of their transaction, then by id;
 * only transactions below the watermark (`pg_snapshot_xmin`: the oldest that still runs) are told, for these have all ended. Whatever commits later has a
 * higher number, so "after this position" misses nothing, although neither ids nor numbers are in the order of the commits. Numbers mean something in
 * one database cluster only: rows that are copied into another by a dump must lose theirs (`update events set xid = null`).
 */
export interface EventPage {
  events: StoredEvent[];
  /** Everything up to here has been read. */
  position: EventPosition;
  /** There is more to read at once. */
  hasMore: boolean;
  /** Something is committed that an older, still running transaction holds back. */
  isHeldBack: boolean;
}

export interface StoredEvent {
  position: EventPosition;
  type: string;
  /** One line of JSON. */
  body: string;
}

const PAGE_EVENTS = 200;
/** A page ends at the first event that crosses this: large bodies times many readers would be the memory of the process. */
const PAGE_BYTES = 1024 * 1024;

/** The next events of a tenant after a position. */
export async function readEvents(db: Database, tenantId: string, after: EventPosition): Promise<EventPage> {
  const rows = await db.read<PageRow>(tenantId, pageStatement(tenantId, after));
  const [first] = rows;
  if (!first) throw new Error('a read of events told no watermark');
  const watermark = BigInt(first.watermark);
  const found = rows.filter((row): row is FoundRow => row.xid !== null);
  const events = found
    .filter((row) => row.body !== null)
    .map(({ xid, id, type, body }) => ({ position: { xid: BigInt(xid), id }, type, body: body ?? '' }));
  const last = events.at(-1);
  const available = first.found ?? 0;
  const hasMore = events.length === found.length && (found.length < available || available === PAGE_EVENTS);
  if (last && hasMore) return { events, position: last.position, hasMore, isHeldBack: false };
  const position = beforeTransaction(watermark);
  return { events, position, hasMore: false, isHeldBack: events.length < available };
}

interface PageRow {
  watermark: string;
  /** Events in reach of this page; null when there is none. */
  found: number | null;
  xid: string | null;
  id: string | null;
  type: string | null;
  /** null: held back. */
  body: string | null;
}

interface FoundRow extends PageRow {
  xid: string;
  id: string;
  type: string;
}

function pageStatement(tenantId: string, after: EventPosition): Statement {
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

/** Position at which a reader hears what commits from now on. */
export async function currentPosition(db: Database, tenantId: string): Promise<EventPosition> {
  const [row] = await db.read<{ watermark: string }>(tenantId, {
    name: 'event-watermark',
    text: 'select pg_snapshot_xmin(pg_current_snapshot())::text as watermark',
  });
  if (!row) throw new Error('PostgreSQL told no watermark');
  return beforeTransaction(BigInt(row.watermark));
}
