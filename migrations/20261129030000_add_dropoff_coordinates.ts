import type { Knex } from 'knex';

/** Adds the coordinates of the place to which a work order's vehicle is towed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table work_orders add column dropoff_lat double precision, add column dropoff_lng double precision
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table work_orders drop column dropoff_lat, drop column dropoff_lng');
}
