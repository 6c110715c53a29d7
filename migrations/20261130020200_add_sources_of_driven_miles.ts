import type { Knex } from 'knex';

/**
 * Adds whether positions or an odometer showed the driven miles of a work order. `drive_until` is
 * the end of the drive of a cancelled work order, which has no completion.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table work_orders add column driven_source text, add column driven_loaded_source text,
      add column drive_until timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table work_orders drop column driven_source, drop column driven_loaded_source, drop column drive_until',
  );
}
