import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the work orders whose drive was measured since the detectors last looked. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index concurrently if not exists work_orders_measured on work_orders (tenant_id, driven_measured_at) where driven_measured_at is not null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists work_orders_measured');
}
