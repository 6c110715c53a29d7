import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds claims and invoices by their PO, so that remittances can be matched. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index concurrently if not exists claims_po_number on claims (tenant_id, po_number) where po_number is not null',
  );
  await knex.raw(
    'create index concurrently if not exists invoices_po_number on invoices (tenant_id, po_number) where po_number is not null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists claims_po_number');
  await knex.raw('drop index concurrently if exists invoices_po_number');
}
