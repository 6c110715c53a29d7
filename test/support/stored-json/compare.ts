import pg from 'pg';
import { RESOURCE_TABLES } from '../../../shared/registry/tables.js';

/**
 * Compares the stored JSON text of every record in these databases with the rendered
 * representation. Skips databases that a test has not migrated to the newest version.
 * @throws {Error} with the records whose texts differ
 */
export async function compareStoredJson(superuserUrls: readonly string[]): Promise<void> {
  let compared = 0;
  const wrong: string[] = [];
  for (const connectionString of superuserUrls) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      const { rows } = await client.query("select to_regclass('stored_json_walks') is not null as is_newest");
      if (!rows[0].is_newest) continue;
      for (const result of await compareTables(client)) {
        compared += result.compared;
        wrong.push(...result.wrong);
      }
    } finally {
      await client.end();
    }
  }
  if (wrong.length > 0) throw new Error(`stored JSON texts differ from their records:\n${wrong.join('\n')}`);
  if (superuserUrls.length > 0)
    process.stdout.write(`  compared the stored JSON of ${compared} records with their representations\n`);
}

interface Comparison {
  compared: number;
  /** The records whose texts differ, as table and id. */
  wrong: string[];
}

async function compareTables(client: pg.Client): Promise<Comparison[]> {
  const results: Comparison[] = [];
  for (const { table, representation, stored } of Object.values(RESOURCE_TABLES)) {
    if (!stored) continue;
    const { rows } = await client.query<Comparison>(
      `select count(*)::int as compared,
         coalesce(array_agg('${table} ' || id) filter (where stored is distinct from rendered), '{}') as wrong
       from (select t.id, ${stored.read('t')} as stored, (${representation('t')})::text as rendered from ${table} t) t
       where stored is not null`,
    );
    results.push(rows[0] as Comparison);
  }
  return results;
}
