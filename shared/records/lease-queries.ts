import { runWithoutFrozen } from '../platform/frozen/frozen-accounts.js';
import type { Database, SqlQuery } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from './record-refs.js';

/**
 * The duration of a lease, in seconds. A running process never stalls for this long. After a
 * process was killed, its queues wait up to this long.
 */
export const LEASE_SECONDS = 15;

/** A queue's row. `owner` is the id of the lease that a process has or wants. */
export interface LeaseRef extends RecordRef {
  owner: string;
}

/** A row for which a lease was requested. `is_mine` is false if another process has the lease. */
export interface AcquiredRow extends RecordRef {
  is_mine: boolean;
}

/**
 * A table whose rows are leased. It has the columns tenant_id, owner, lease_until and woken. In
 * SQL, its rows have the alias `l`.
 */
export interface LeasedTable {
  table: string;
  /** The column that identifies a row within its tenant. */
  idColumn: string;
  /** SQL that joins another table, so that `asked` can read its columns. */
  join?: string;
  /**
   * SQL expressions over `l` and the joined table, with a leading comma. They are evaluated before
   * the update.
   */
  asked?: string;
  /**
   * SQL of further columns to return, with a leading comma. It may read the updated row as `l`, and
   * the values of `asked` as columns of `a`.
   */
  returned?: string;
}

/** The queries that acquire, renew and release the leases of a table's rows. */
export interface LeaseQueries<Row extends AcquiredRow> {
  /**
   * Leases the rows that are free. If another process has the lease of a row, marks the row as
   * woken. That process then looks for work again. The result omits rows that do not exist.
   * @param takesEnded if true, a row whose lease has ended without a release counts as free
   */
  acquire(db: Database, leases: LeaseRef[], takesEnded: boolean): Promise<Row[]>;
  /** Extends leases. The result omits each lease that this process has lost. */
  renew(db: Database, leases: LeaseRef[]): Promise<HeldRow[]>;
  /** Releases leases. The result omits each lease that this process had lost already. */
  release(db: Database, leases: LeaseRef[]): Promise<HeldRow[]>;
}

/**
 * A row whose lease this process still had when the query ran. `is_woken` is true if another
 * process has woken the row.
 */
export interface HeldRow extends RecordRef {
  is_woken: boolean;
}

const COLUMNS = 'tenant_id uuid, id uuid, owner uuid';

export function createLeaseQueries<Row extends AcquiredRow>(leased: LeasedTable): LeaseQueries<Row> {
  const { table, idColumn, join = '', asked = '', returned = '' } = leased;
  const isRequested = `l.tenant_id = r.tenant_id and l.${idColumn} = r.id`;
  const run = <R>(db: Database, leases: LeaseRef[], { values = [], ...query }: SqlQuery) =>
    runWithoutFrozen(
      leases,
      ({ tenant_id }) => tenant_id,
      (rest) =>
        db.transaction([...new Set(rest.map(({ tenant_id }) => tenant_id))], (tx) =>
          tx.query<R>({ ...query, values: [JSON.stringify(rest), ...values] }),
        ),
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
    acquire: (db, leases, takesEnded) =>
      run<Row>(db, leases, {
        name: `acquire-${table}`,
        // Lock the rows in id order. Otherwise two workers that lease the same rows could deadlock.
        text: `with asked as (
                 select l.tenant_id, l.${idColumn}, r.owner, (l.owner is null or ($2 and l.lease_until < now())) as is_free${asked}
                 from ${recordsetSql(COLUMNS)} join ${table} l on ${isRequested} ${join}
                 order by l.tenant_id, l.${idColumn} for update of l
               )
               update ${table} l set
                 owner = case when a.is_free then a.owner else l.owner end,
                 lease_until = case when a.is_free then now() + interval '${LEASE_SECONDS} s' else l.lease_until end,
                 woken = not a.is_free
               from asked a where l.tenant_id = a.tenant_id and l.${idColumn} = a.${idColumn}
               returning l.tenant_id, l.${idColumn} as id, a.is_free as is_mine${returned}`,
        values: [takesEnded],
      }),
    renew: updateHeld(`renew-${table}`, `lease_until = now() + interval '${LEASE_SECONDS} s'`),
    release: updateHeld(`release-${table}`, 'owner = null, lease_until = null'),
  };
}
