import type { Knex } from 'knex';

/** Built beside the traffic: no transaction. */
export const config = { transaction: false };

const INDEXES: Readonly<Record<string, string>> = {
  // What the watch looks for: changes of invoices that can still be mended, and of their jobs. Partial, so that most updates pass them by.
  invoices_watched: `invoices (tenant_id, updated_at, id)
    where status in ('draft', 'needs_review', 'approved', 'sending', 'sent_to_roadsync')`,
  work_orders_watched: `work_orders (tenant_id, updated_at, id) where billing_status = 'invoiced'`,
  // The newest jobs of one service: what a job is compared with.
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
