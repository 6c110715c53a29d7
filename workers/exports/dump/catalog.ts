import type { Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import { INCLUDED_TABLES } from './contents.js';

export interface DumpColumn {
  table: string;
  name: string;
  /** For example `total_cents bigint default 0 not null`. */
  definition: string;
  /** True for a generated column, which COPY can neither read nor write. */
  isGenerated: boolean;
}

export interface DumpConstraint {
  table: string;
  name: string;
  /** The `contype` in pg_constraint: check, primary key, unique, exclusion or foreign key. */
  type: 'c' | 'p' | 'u' | 'x' | 'f';
  /** For example `PRIMARY KEY (tenant_id, id)`. */
  definition: string;
  columns: string[];
  isValidated: boolean;
  /** The table that a foreign key refers to; null for other constraints. */
  target: string | null;
  targetColumns: string[] | null;
}

interface DumpIndex {
  table: string;
  /** For example `CREATE INDEX … ON public.… USING …`. */
  definition: string;
  columns: string[];
}

/**
 * A table as the dump creates it, without excluded columns. It also lacks the constraints and
 * indexes that need an excluded column.
 */
export interface DumpTable {
  name: string;
  columns: DumpColumn[];
  constraints: DumpConstraint[];
  /** The indexes that do not belong to a constraint. */
  indexes: DumpIndex[];
}

/**
 * Reads columns and their definitions. The dump must also load into PostgreSQL 13, which has no
 * virtual generated columns and stores no names of not-null constraints. So virtual columns become
 * stored columns, and the names are left out.
 */
const COLUMNS = `
  select c.relname::text as "table", a.attname::text as name, a.attgenerated <> '' as "isGenerated",
    format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
           when d.oid is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) end,
      case when a.attnotnull then ' not null' end) as definition
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
  order by c.relname, a.attnum`;

const columnNamesSql = (table: string, numbers: string) => `(
  select array_agg(a.attname::text order by n.place) from unnest(${numbers}) with ordinality n (attnum, place)
  join pg_attribute a on a.attrelid = ${table} and a.attnum = n.attnum)`;

const CONSTRAINTS = `
  select c.relname::text as "table", k.conname::text as name, k.contype::text as type, pg_get_constraintdef(k.oid) as definition,
    coalesce(${columnNamesSql('k.conrelid', 'k.conkey')}, '{}') as columns, k.convalidated as "isValidated",
    t.relname::text as target, ${columnNamesSql('k.confrelid', 'k.confkey')} as "targetColumns"
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  left join pg_class t on t.oid = k.confrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
    and k.contype in ('c', 'p', 'u', 'x', 'f')
  order by c.relname, k.contype, k.conname`;

/**
 * Reads valid indexes and their columns. An index of a partitioned table is included even if it is
 * marked invalid. That mark only means that a partition lacks the index. The columns come from
 * pg_depend, because no other catalog lists the columns in index expressions.
 */
const INDEXES = `
  select c.relname::text as "table", pg_get_indexdef(i.indexrelid) as definition,
    coalesce((select array_agg(distinct a.attname::text) from pg_depend d
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refclassid = 'pg_class'::regclass
        and d.refobjid = i.indrelid and d.refobjsubid > 0), '{}') as columns
  from pg_index i
  join pg_class c on c.oid = i.indrelid
  where c.relnamespace = 'public'::regnamespace and c.relname = any($1) and (c.relkind = 'p' or c.relkind = 'r' and i.indisvalid)
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
  order by c.relname, i.indexrelid::regclass::text`;

/**
 * Reads the included tables from the catalogs of the snapshot's database, in the sequence of the
 * dump.
 */
export async function readDumpTables(snapshot: Snapshot): Promise<DumpTable[]> {
  const names = Object.keys(INCLUDED_TABLES);
  const values = [names];
  const columns = await snapshot.query<DumpColumn>({ text: COLUMNS, values });
  const constraints = await snapshot.query<DumpConstraint>({ text: CONSTRAINTS, values });
  const indexes = await snapshot.query<DumpIndex>({ text: INDEXES, values });
  const includesColumns = (table: string, required: readonly string[]) =>
    required.every((column) => INCLUDED_TABLES[table]?.columns.includes(column));
  return names
    .map((name) => ({
      name,
      columns: columns.filter((one) => one.table === name && includesColumns(name, [one.name])),
      constraints: constraints.filter(
        (one) =>
          one.table === name &&
          includesColumns(name, one.columns) &&
          (one.type !== 'f' || isWithinDump(one, names)),
      ),
      indexes: indexes.filter((one) => one.table === name && includesColumns(name, one.columns)),
    }))
    .filter(({ columns: own }) => own.length > 0);
}

/**
 * True if a foreign key refers to rows in the same dump. The foreign key from a sandbox to its live
 * account refers to another account's row, so the dump omits it.
 */
function isWithinDump({ target, columns, targetColumns }: DumpConstraint, names: string[]): boolean {
  const tenantColumnIndex = columns.indexOf('tenant_id');
  return (
    target !== null &&
    names.includes(target) &&
    tenantColumnIndex >= 0 &&
    targetColumns?.[tenantColumnIndex] === 'tenant_id'
  );
}
