import type { Knex } from 'knex';

/**
 * Adds the id of the transaction that recorded an event. An event gets its own id before the
 * commit. So a reader that continues after the last event id would miss events that commit late.
 * The transaction id shows which events can still appear (shared/events/read-events.ts).
 *
 * The default is set in a separate step, because a new column with this default would rewrite the
 * table. Existing events keep null and appear in no stream.
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
