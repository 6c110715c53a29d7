import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Adds a column for the time at which the clock found an operation finished. The clock then does
 * not read the operation again. The column is nullable without a default, so no row is rewritten.
 * Null means that the clock does not know yet. The clock marks old rows in portions, including rows
 * that processes of the previous release still add.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.transaction(async (trx) => {
    // Stop waiting for a lock before the application's sessions do, which wait 2 s. Writes that
    // wait behind this step then succeed.
    await trx.raw("set local lock_timeout = '1s'");
    await trx.raw('alter table operations add column if not exists settled_at timestamptz');
  });
  await knex.raw('drop index concurrently if exists operations_unsettled');
  await knex.raw(
    'create index concurrently operations_unsettled on operations (tenant_id, lease_until, id) where settled_at is null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index operations_unsettled; alter table operations drop column settled_at');
}
