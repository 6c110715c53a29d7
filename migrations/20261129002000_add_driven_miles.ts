import type { Knex } from 'knex';

/**
 * Adds what the positions of a work order's truck say about its drive. `drive_due_at` is the time
 * from which the clock may measure it; null if there is nothing to measure.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table work_orders add column driven_miles numeric, add column driven_coverage numeric,
      add column driven_loaded_miles numeric, add column driven_loaded_coverage numeric,
      add column driven_measured_at timestamptz, add column drive_due_at timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table work_orders drop column driven_miles, drop column driven_coverage, drop column driven_loaded_miles,
      drop column driven_loaded_coverage, drop column driven_measured_at, drop column drive_due_at
  `);
}
