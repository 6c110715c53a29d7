import type { Knex } from 'knex';

export const config = { transaction: false };

/**
 * Finds invoices by their exact number. Row-level security keeps PostgreSQL from using the unique
 * index on `lower(invoice_number)` for a search, because `lower` is not leakproof.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index concurrently if not exists invoices_exact_number on invoices (tenant_id, invoice_number)',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists invoices_exact_number');
}
