import type { Knex } from 'knex';

/** Built beside the traffic: no transaction. */
export const config = { transaction: false };

/**
 * An account may have so many live keys: they are counted for each new one, however many have
 * ended. Behind row-level security PostgreSQL would apply `coalesce` to each row, and takes `case`
 * into the index's condition (contain_leaked_vars in its clauses.c).
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
