import type { Snapshot } from '../../../shared/platform/postgres-snapshot.js';
import { INCLUDED_TABLES } from './contents.js';

export interface DumpColumn {
  table: string;
  name: string;
  /** `total_cents bigint default 0 not null` */
  definition: string;
  /** Reckoned by PostgreSQL out of other columns: COPY neither gives nor takes it. */
  isGenerated: boolean;
}

export interface DumpConstraint {
  table: string;
  name: string;
  /** As in pg_constraint: check, primary key, unique, exclusion, foreign key. */
  type: 'c' | 'p' | 'u' | 'x' | 'f';
  /** `PRIMARY KEY (tenant_id, id)` */
  definition: string;
  columns: string[];
  isValidated: boolean;
  /** Of a foreign key: what it refers to. */
  target: string | null;
  targetColumns: string[] | null;
}

interface DumpIndex {
  table: string;
  /** `CREATE INDEX … ON public.… USING …` */
  definition: string;
  columns: string[];
}

/** A table as a dump makes it: what of it is in the dump, and nothing that needs what is not. */
export interface DumpTable {
  name: string;
  columns: DumpColumn[];
  constraints: DumpConstraint[];
  /** Those that no constraint brings along. */
  indexes: DumpIndex[];
}

/** Virtual columns (PostgreSQL 18) become stored ones; not-null constraints lose their names, which PostgreSQL 13 does not keep. */
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

const namesOf = (table: string, numbers: string) => `(
  select array_agg(a.attname::text order by n.place) from unnest(${numbers}) with ordinality n (attnum, place)
  join pg_attribute a on a.attrelid = ${table} and a.attnum = n.attnum)`;

const CONSTRAINTS = `
  select c.relname::text as "table", k.conname::text as name, k.contype::text as type, pg_get_constraintdef(k.oid) as definition,
    coalesce(${namesOf('k.conrelid', 'k.conkey')}, '{}') as columns, k.convalidated as "isValidated",
    t.relname::text as target, ${namesOf('k.confrelid', 'k.confkey')} as "targetColumns"
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  left join pg_class t on t.oid = k.confrelid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
    and k.contype in ('c', 'p', 'u', 'x', 'f')
  order by c.relname, k.contype, k.conname`;

/** Of a partitioned table's index only the parts can be invalid; what its expressions use is told by its dependencies alone. */
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

/** The tables that are in a dump, in its order, as the catalogs of the snapshot's database describe them. */
export async function readDumpTables(snapshot: Snapshot): Promise<DumpTable[]> {
  const names = Object.keys(INCLUDED_TABLES);
  const values = [names];
  const columns = await snapshot.query<DumpColumn>({ text: COLUMNS, values });
  const constraints = await snapshot.query<DumpConstraint>({ text: CONSTRAINTS, values });
  const indexes = await snapshot.query<DumpIndex>({ text: INDEXES, values });
  const has = (table: string, wanted: readonly string[]) =>
    wanted.every((column) => INCLUDED_TABLES[table]?.columns.includes(column));
  return names
    .map((name) => ({
      name,
      columns: columns.filter((one) => one.table === name && has(name, [one.name])),
      constraints: constraints.filter(
        (one) =>
          one.table === name && has(name, one.columns) && (one.type !== 'f' || staysInside(one, names)),
      ),
      indexes: indexes.filter((one) => one.table === name && has(name, one.columns)),
    }))
    .filter(({ columns: own }) => own.length > 0);
}

/** A foreign key to what the dump has too: a twin's to its live account leads out of it. */
function staysInside({ target, columns, targetColumns }: DumpConstraint, names: string[]): boolean {
  const ofTenant = columns.indexOf('tenant_id');
  return (
    target !== null && names.includes(target) && ofTenant >= 0 && targetColumns?.[ofTenant] === 'tenant_id'
  );
}
