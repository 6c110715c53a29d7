import type { SqlQuery } from '../../../shared/platform/postgres/send.js';

/** The tables with a tenant that do not move, each with the reason. */
export const TABLES_THAT_STAY: Readonly<Record<string, string>> = {
  frozen_accounts: 'each deployment decides by itself whether it may write the account',
};

/** Columns that triggers write again in the other deployment, by the same SQL. */
const REWRITTEN_COLUMNS = ['stored_json', 'stored_json_version', 'sort_name'];

/**
 * Tables whose rows triggers write while other tables are loaded. They are loaded last, in place of
 * those rows.
 */
const LOADED_LAST = ['search_entries', 'terms_changes'];

export interface AccountTable {
  name: string;
  columns: string[];
  /**
   * SQL of the moved values, in the sequence of the columns. Numbers of transactions and positions
   * in the log mean something in one cluster of PostgreSQL only, so they move as null, as if they
   * were not set yet. A column that takes no null moves as '0/0', and `tow accounts release` sets
   * it.
   */
  values: string[];
  /** SQL of the columns of the primary key, which sort the rows alike in every deployment. */
  sortedBy: string[];
  /** Tables that this table refers to. */
  parents: string[];
}

type RunQuery = <R>(query: SqlQuery) => Promise<R[]>;

const LIST_TABLES = `
  select c.relname::text as name,
    array(select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = '' and a.attname <> all ($1::text[]) order by a.attname) as columns,
    array(select case when a.atttypid not in ('xid'::regtype, 'xid8'::regtype, 'pg_lsn'::regtype) then quote_ident(a.attname)
            else format('%s::%s as %I', case when a.attnotnull then quote_literal('0/0') else 'null' end, a.atttypid::regtype, a.attname) end
          from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and a.attgenerated = '' and a.attname <> all ($1::text[]) order by a.attname) as "values",
    -- Without "C", two servers could sort texts differently.
    array(select quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end
          from pg_index i cross join unnest(i.indkey::smallint[]) with ordinality k (attnum, place)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
          where i.indrelid = c.oid and i.indisprimary order by k.place) as "sortedBy",
    array(select distinct p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
          where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as parents
  from pg_class c join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname`;

/**
 * Lists every table with a tenant_id, each after the tables that it refers to. Reads the catalog,
 * so that tables of later versions are included.
 */
export async function listAccountTables(run: RunQuery): Promise<AccountTable[]> {
  const tables = await run<AccountTable>({ text: LIST_TABLES, values: [REWRITTEN_COLUMNS] });
  const left = new Map(tables.map((table) => [table.name, table]));
  const sorted: AccountTable[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(({ parents }) => !parents.some((parent) => left.has(parent)));
    if (free.length === 0)
      throw new Error(`tables refer to each other in a cycle: ${[...left.keys()].join(', ')}`);
    for (const { name } of free) left.delete(name);
    sorted.push(...free);
  }
  const isLast = ({ name }: AccountTable) => LOADED_LAST.includes(name);
  return [...sorted.filter((table) => !isLast(table)), ...sorted.filter(isLast)];
}

/** Lists the tables whose rows move with an account, in the sequence in which they are loaded. */
export async function listMovedTables(run: RunQuery): Promise<AccountTable[]> {
  return (await listAccountTables(run)).filter(({ name }) => !(name in TABLES_THAT_STAY));
}

/** Returns the SQL that reads all rows of the tenants in the same sequence in every deployment. */
export function buildReadRows(
  { name, columns, values, sortedBy }: AccountTable,
  tenantIds: readonly string[],
): string {
  return `select ${values.join(', ')} from public.${name} where tenant_id in (${quoteIds(tenantIds)})
    order by ${(sortedBy.length > 0 ? sortedBy : columns).join(', ')}`;
}

/** The ids are UUIDs, which need no escaping. COPY takes no parameters. */
export function quoteIds(tenantIds: readonly string[]): string {
  return tenantIds.map((id) => `'${id}'`).join(', ');
}
