import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Indexes the work orders of a truck, the invoices that the clock checks for their due date, and
 * the open balances of customers.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists work_orders_truck');
  await knex.raw(`create index concurrently work_orders_truck on work_orders (tenant_id, truck_id)
                  where truck_id is not null and status in ('dispatched', 'in_progress')`);
  await knex.raw('drop index concurrently if exists invoices_due');
  await knex.raw(`create index concurrently invoices_due on invoices (tenant_id, status)
                  where status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid')`);
  await knex.raw('drop index concurrently if exists invoices_owed');
  await knex.raw(`create index concurrently invoices_owed on invoices (tenant_id, customer_id) include (status, balance_due_cents)
                  where status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid', 'overdue', 'disputed', 'failed')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index work_orders_truck');
  await knex.raw('drop index invoices_due');
  await knex.raw('drop index invoices_owed');
}
