import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Indexes an account's live keys. Their number is limited, so the creation of a key counts them.
 * Ended keys must not slow down the count.
 *
 * The index uses `case` instead of `coalesce`. Under row-level security PostgreSQL evaluates
 * `coalesce` for each row, but uses `case` in the index condition (contain_leaked_vars in
 * PostgreSQL's clauses.c).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists api_keys_live');
  await knex.raw(
    `create index concurrently api_keys_live on api_keys (
       tenant_id, (case when expires_at is null then 'infinity'::timestamptz else expires_at end)
     ) where revoked_at is null`,
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index api_keys_live');
}
