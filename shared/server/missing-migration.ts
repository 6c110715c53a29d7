import type { Database } from '../platform/postgres/database.js';
import type { NeededSchema } from '../platform/process/needed-schema.js';

/**
 * Returns undefined if the database fits this version, otherwise the reason why it does not. A
 * database that a later version has migrated also fits, because migrations only extend what the
 * previous version uses. A release can therefore replace processes one by one.
 */
export async function findMissingMigration(
  db: Database,
  { migrationHead: head, functions }: NeededSchema,
): Promise<string | undefined> {
  const [row] = await db.query<{ newest: string | null; has_head: boolean; lacks_function: boolean }>({
    text: `select (select name from schema_migrations order by id desc limit 1) as newest,
                  exists (select from schema_migrations where name = $1) as has_head,
                  exists (select from unnest($2::text[]) f where to_regprocedure(f) is null) as lacks_function`,
    values: [head, functions],
  });
  if (!row?.has_head) return `the database is at ${row?.newest ?? 'nothing'}, not at ${head}`;
  return row.lacks_function ? 'the database has no functions of this version; run release' : undefined;
}
