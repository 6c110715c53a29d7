import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the completed work orders whose driven miles are not measured yet. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index concurrently if not exists work_orders_drive_due on work_orders (tenant_id, drive_due_at) where drive_due_at is not null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists work_orders_drive_due');
}
