import type { Knex } from 'knex';

/** Adds what the odometer of a truck showed last. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table trucks add column odometer_miles double precision, add column odometer_source text,
      add column odometer_read_at timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table trucks drop column odometer_miles, drop column odometer_source, drop column odometer_read_at',
  );
}
