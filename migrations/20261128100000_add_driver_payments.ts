import type { Knex } from 'knex';

/** Adds the setting that lets drivers take payments on their page. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants add column driver_payments boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table tenants drop column driver_payments');
}
