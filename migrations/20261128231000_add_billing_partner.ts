import type { Knex } from 'knex';

/** Adds the billing partner of customers, and that of the claims which are sent to one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table customers add column billing_connection_id uuid;
    alter table claims add column connection_id uuid;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table claims drop column connection_id;
    alter table customers drop column billing_connection_id;
  `);
}
