import type { Knex } from 'knex';

/** Built beside the traffic: no transaction around it. */
export const config = { transaction: false };

/**
 * When the clock found an operation settled: it need not look at it again. Nullable without a
 * default, so no row is rewritten. Null: not known yet. The clock marks the rows of the version
 * before, and those that its processes still add, in portions.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.transaction(async (trx) => {
    // Less than a session of the application waits for our lock before it gives up (2 s).
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
