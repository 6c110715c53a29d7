import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the offers whose motorist's name, phone number and notes must be cleared. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`create index concurrently if not exists club_offers_contact on club_offers (tenant_id, updated_at)
    where contact_name is not null or contact_phone is not null or notes is not null`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists club_offers_contact');
}
