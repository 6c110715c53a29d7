import type { Database } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from './record-refs.js';

/**
 * Duration of a lease, in seconds: longer than a live process ever stalls. After a kill, the queues
 * of the process wait this long.
 */
export const LEASE_SECONDS = 15;

/** The row of a queue that one process at a time holds, with the id of its lease. */
export interface LeaseRef extends RecordRef {
  owner: string;
}

/** A row that was leased, or that another process holds. */
export interface AcquiredRow extends RecordRef {
  is_mine: boolean;
}

/**
 * A table whose rows are leased. It has the columns tenant_id, owner, lease_until and woken. The
 * alias of its rows is `l`.
 */
export interface LeasedTable {
  table: string;
  /** The column that identifies a row within its tenant. */
  idColumn: string;
  /** SQL join of another table whose columns `asked` reads. */
  join?: string;
  /** SQL expressions over `l` and the joined table, read before the update. */
  asked?: string;
  /** SQL of further columns to return, over `l` and the columns `a` that were asked for. */
  returned?: string;
}

/** The queries that acquire, renew and release the leases of a table's rows. */
export interface LeaseQueries<Row extends AcquiredRow> {
  /**
   * Acquires the free leases, and marks the other rows as woken for their holders. A row that does
   * not exist is missing from the result.
   */
  acquire(db: Database, leases: LeaseRef[]): Promise<Row[]>;
  /** Extends leases. A lease that has ended is missing from the result. */
  renew(db: Database, leases: LeaseRef[]): Promise<HeldRow[]>;
  /** Releases leases. Returns those that this process really held. */
  release(db: Database, leases: LeaseRef[]): Promise<HeldRow[]>;
}

/** A row that this process really held, and whether another process has woken it. */
export interface HeldRow extends RecordRef {
  is_woken: boolean;
}

const COLUMNS = 'tenant_id uuid, id uuid, owner uuid';

export function createLeaseQueries<Row extends AcquiredRow>(leased: LeasedTable): LeaseQueries<Row> {
  const { table, idColumn, join = '', asked = '', returned = '' } = leased;
  const isRequested = `l.tenant_id = r.tenant_id and l.${idColumn} = r.id`;
  const run = <R>(db: Database, leases: LeaseRef[], query: { name: string; text: string }) =>
    db.transaction([...new Set(leases.map(({ tenant_id }) => tenant_id))], (tx) =>
      tx.query<R>({ ...query, values: [JSON.stringify(leases)] }),
    );
  const updateHeld = (name: string, set: string) => (db: Database, leases: LeaseRef[]) =>
    run<HeldRow>(db, leases, {
      name,
      text: `with held as (
               select l.tenant_id, l.${idColumn}, l.woken from ${recordsetSql(COLUMNS)} join ${table} l on ${isRequested}
               where l.owner = r.owner order by l.tenant_id, l.${idColumn} for update of l
             )
             update ${table} l set ${set}, woken = false
             from held h where l.tenant_id = h.tenant_id and l.${idColumn} = h.${idColumn}
             returning l.tenant_id, l.${idColumn} as id, h.woken as is_woken`,
    });
  return {
    acquire: (db, leases) =>
      run<Row>(db, leases, {
        name: `acquire-${table}`,
        // Every writer locks the rows in this sequence, so that two workers that lease many cannot
        // deadlock.
        text: `with asked as (
                 select l.tenant_id, l.${idColumn}, r.owner, (l.owner is null or l.lease_until < now()) as is_free${asked}
                 from ${recordsetSql(COLUMNS)} join ${table} l on ${isRequested} ${join}
                 order by l.tenant_id, l.${idColumn} for update of l
               )
               update ${table} l set
                 owner = case when a.is_free then a.owner else l.owner end,
                 lease_until = case when a.is_free then now() + interval '${LEASE_SECONDS} s' else l.lease_until end,
                 woken = not a.is_free
               from asked a where l.tenant_id = a.tenant_id and l.${idColumn} = a.${idColumn}
               returning l.tenant_id, l.${idColumn} as id, a.is_free as is_mine${returned}`,
      }),
    renew: updateHeld(`renew-${table}`, `lease_until = now() + interval '${LEASE_SECONDS} s'`),
    release: updateHeld(`release-${table}`, 'owner = null, lease_until = null'),
  };
}
