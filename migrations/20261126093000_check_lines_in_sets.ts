import type { Knex } from 'knex';

/**
 * Drops the foreign key of line items. PostgreSQL would check it with a query for each inserted
 * row, a seventh of its time for a batch of invoices (docs/adr/0021-checks-in-sets.md). The only
 * query that inserts line items joins the invoices instead, and no invoice is ever deleted.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table invoice_line_items drop constraint if exists invoice_line_items_tenant_id_invoice_id_fkey',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table invoice_line_items add foreign key (tenant_id, invoice_id) references invoices not valid',
  );
}
