import type { Transaction } from '../../shared/platform/postgres/database.js';
import type { RowSweep } from '../../shared/records/sweeps/schedule.js';
import { STORED_JSON_TABLES } from '../../shared/registry/tables.js';

const TABLES = STORED_JSON_TABLES.map(({ table }) => table);

/**
 * The position of a walk through one table of one account. The next rows have ids after `after_id`.
 */
interface WalkPosition {
  tenant_id: string;
  of_table: string;
  after_id: string;
  /** The current version of the table's JSON texts. */
  version: number;
}

/** Maximum number of walks that one transaction continues. */
const MAX_STEPS = 100;

/**
 * A step counts as at least this many rows. Otherwise a pass could visit any number of empty
 * tables.
 */
const MIN_ROWS_PER_STEP = 5;

/**
 * Returns unfinished walks of the transaction's accounts. The database determines the current
 * version, because during an upgrade the clocks of two versions run side by side. If there are too
 * many walks, selects them at random, so that no account always comes first.
 */
function findPositions(tx: Transaction): Promise<WalkPosition[]> {
  return tx.query<WalkPosition>({
    name: 'find-json-walks',
    text: `select t.tenant_id, k.of_table, k.version, coalesce(w.after_id, '00000000-0000-0000-0000-000000000000') as after_id
           from tenants t
           cross join (select name as of_table, stored_json_version(name) as version from unnest($1::text[]) as name) k
           left join stored_json_walks w on w.tenant_id = t.tenant_id and w.of_table = k.of_table and w.version = k.version
           where t.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])
             and k.version is not null and w.has_ended is distinct from true
           order by random() limit ${MAX_STEPS}`,
    values: [TABLES],
  });
}

/**
 * Stores the JSON texts of the next `limit` rows, unless their texts have the current version. A
 * trigger renders the texts. Skips locked rows. If the write with the lock changes the row, the
 * trigger renders the row's text. If that write leaves the row unchanged, the text stays outdated,
 * and each read renders it anew.
 * @returns the number of rows that this step read
 */
async function storeNext(
  tx: Transaction,
  { tenant_id, of_table: table, after_id, version }: WalkPosition,
  limit: number,
): Promise<number> {
  const [step] = await tx.query<{ looked_at: number }>({
    name: `walk-${table}-json`,
    text: `with batch as (
             select t.id, t.stored_json_version from ${table} t where t.tenant_id = $1 and t.id > $2 order by t.id limit $3
           ), stored as (
             update ${table} n set stored_json_version = null
             from (select t.id from ${table} t where t.tenant_id = $1
                     and t.id in (select id from batch where stored_json_version is distinct from $4)
                   for no key update skip locked) s
             where n.tenant_id = $1 and n.id = s.id
           ), step as (
             select count(*)::int as looked_at, (array_agg(id order by id desc))[1] as last_id from batch
           ), walk as (
             insert into stored_json_walks (tenant_id, of_table, version, after_id, has_ended)
             select $1, '${table}', $4, coalesce(last_id, $2), looked_at < $3 from step
             on conflict (tenant_id, of_table) do update
               set version = excluded.version, after_id = excluded.after_id, has_ended = excluded.has_ended
           )
           select looked_at from step`,
    values: [tenant_id, after_id, limit, version],
  });
  return step?.looked_at ?? 0;
}

/**
 * Stores the JSON texts of rows that were written before the column for these texts existed. When a
 * release changes a representation, stores all texts again. Walks once through each table of each
 * account, in the sequence of the ids.
 */
export const storedJsonSweep: RowSweep = {
  name: 'store-json',
  everyMs: 60_000,
  limit: 500,
  repeatForMs: 2_000,
  changeRows: async (tx, limit) => {
    const positions = await findPositions(tx);
    // Each walk gets the same share, so that an account with many rows does not delay others.
    const share = Math.ceil(limit / positions.length);
    let rows = 0;
    for (const position of positions)
      rows += Math.max(await storeNext(tx, position, share), MIN_ROWS_PER_STEP);
    return rows;
  },
};
