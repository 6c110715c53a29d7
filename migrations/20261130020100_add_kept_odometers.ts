import type { Knex } from 'knex';

/** Adds readings of odometers to the past positions of trucks. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table truck_positions add column odometer_miles double precision, add column odometer_source text,
      add column odometer_at timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table truck_positions drop column odometer_miles, drop column odometer_source, drop column odometer_at',
  );
}
