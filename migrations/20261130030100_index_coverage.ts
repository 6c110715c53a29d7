import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the customers whose coverage changed since the detectors last looked. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index concurrently if not exists customers_coverage_changed on customers (tenant_id, coverage_changed_at) where coverage_changed_at is not null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists customers_coverage_changed');
}
