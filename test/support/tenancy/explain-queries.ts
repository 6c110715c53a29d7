import pg from 'pg';
import { findTablesWithoutTenant, type PlanNode } from './plan-tenants.js';

/** A query that reads tables without naming the tenant. */
export interface UnnamedRead {
  /** The file or the function that contains the query. */
  source: string;
  table: string;
  text: string;
}

/**
 * With these settings, a plan shows each condition near the table that it restricts, and each
 * partition. Generic plans keep the parameters, so that a plan holds for all values.
 */
const SETTINGS = [
  'plan_cache_mode = force_generic_plan',
  'jit = off',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  'enable_material = off',
  'enable_partition_pruning = off',
  "app.tenant_ids = ''",
];

export const describeRead = ({ source, table }: UnnamedRead) => `${source}: ${table}`;

/**
 * Finds the tables that these queries read without naming the tenant. PostgreSQL only plans the
 * queries.
 * @param superuserUrl leads to a migrated database without rows, whose plans are always the same.
 *   Plans for a superuser contain no policy of row-level security
 * @param sourceByText maps the text of each query to its source
 * @throws {Error} if PostgreSQL cannot plan a query
 */
export async function findUnnamedReads(
  superuserUrl: string,
  sourceByText: ReadonlyMap<string, string>,
): Promise<UnnamedRead[]> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  return explainAll(client, sourceByText).finally(() => client.end());
}

async function explainAll(
  client: pg.Client,
  sourceByText: ReadonlyMap<string, string>,
): Promise<UnnamedRead[]> {
  for (const setting of SETTINGS) await client.query(`set ${setting}`);
  const tableNames = await readTableNames(client);
  const names = new RegExp(`\\b(?:${[...new Set(tableNames.values())].join('|')})\\b`);
  const found: UnnamedRead[] = [];
  for (const [text, source] of sourceByText) {
    if (!names.test(text)) continue;
    const plan = await explain(client, text.replace(/^\s*explain \([^)]*\)/, '')).catch((cause) => {
      throw new Error(`${source}: PostgreSQL cannot plan this query: ${cause.message}\n${text}`, { cause });
    });
    for (const table of findTablesWithoutTenant(plan, tableNames)) found.push({ source, table, text });
  }
  return found;
}

/** Maps the names of all tables of accounts, and of their partitions, to the tables. */
async function readTableNames(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; table: string }>(
    `select c.relname as name, coalesce(p.relname, c.relname) as table from pg_class c
     left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
     where c.relkind in ('r', 'p') and c.relnamespace in ('public'::regnamespace, 'partitions'::regnamespace)
       and c.relname not like 'schema_migrations%'`,
  );
  return new Map(rows.map(({ name, table }) => [name, table]));
}

async function explain(client: pg.Client, text: string): Promise<PlanNode> {
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  const nulls = Array(Math.max(0, ...numbers)).fill('null');
  const values = nulls.length > 0 ? `(${nulls.join(', ')})` : '';
  await client.query(`prepare explained as ${text}`);
  try {
    const { rows } = await client.query(
      `explain (verbose, costs off, format json) execute explained${values}`,
    );
    return rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.query('deallocate explained');
  }
}
