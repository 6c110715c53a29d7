import type { Knex } from 'knex';

/**
 * Adds readings of odometers to trucks and to their past positions, and from which of both the
 * driven miles of a work order come. `drive_until` is the end of the drive that is to be measured;
 * a cancelled work order has no completion.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table trucks add column odometer_miles double precision, add column odometer_source text,
      add column odometer_read_at timestamptz;
    alter table truck_positions add column odometer_miles double precision, add column odometer_source text,
      add column odometer_at timestamptz;
    alter table work_orders add column driven_source text, add column driven_loaded_source text,
      add column drive_until timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table trucks drop column odometer_miles, drop column odometer_source, drop column odometer_read_at;
    alter table truck_positions drop column odometer_miles, drop column odometer_source, drop column odometer_at;
    alter table work_orders drop column driven_source, drop column driven_loaded_source, drop column drive_until
  `);
}
