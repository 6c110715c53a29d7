import type { Knex } from 'knex';

/**
 * Adds the subtotal of the invoice for which a suggestion was computed, if accepting is right for
 * that subtotal alone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table suggestions add column invoice_subtotal_cents bigint');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table suggestions drop column invoice_subtotal_cents');
}
