import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds invoices that became void or cancelled since the detectors last looked. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "create index concurrently if not exists invoices_voided on invoices (tenant_id, updated_at) where status in ('void', 'cancelled') and work_order_id is not null",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists invoices_voided');
}
