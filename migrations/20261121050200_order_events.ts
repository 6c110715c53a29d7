import type { Knex } from 'knex';

/**
 * The transaction that recorded an event. Ids are made before the commit, so a reader that goes on "after the last id" would miss what commits late;
 * the number of the transaction tells which events can still come (shared/events/read-events.ts). The default comes in a step of its own: given with the
 * column it would rewrite the table. What is there already keeps null and is no part of any stream.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table events add column xid xid8;
    alter table events alter column xid set default pg_current_xact_id();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table events drop column xid');
}
