import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

const INDEXES: Readonly<Record<string, string>> = {
  // The detectors, which make suggestions, read changes of invoices that can still be corrected,
  // and of their work orders. The indexes are partial, so that most updates do not change them.
  invoices_watched: `invoices (tenant_id, updated_at, id)
    where status in ('draft', 'needs_review', 'approved', 'sending', 'sent_to_roadsync')`,
  work_orders_watched: `work_orders (tenant_id, updated_at, id) where billing_status = 'invoiced'`,
  // A detector compares a work order with the newest work orders of the same service type.
  work_orders_service: 'work_orders (tenant_id, service_type, created_at desc, id desc)',
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(INDEXES)) {
    await knex.raw(`drop index concurrently if exists ${name}`);
    await knex.raw(`create index concurrently ${name} on ${definition}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop index ${Object.keys(INDEXES).join(', ')}`);
}
