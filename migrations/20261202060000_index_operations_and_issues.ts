import type { Knex } from 'knex';

export const config = { transaction: false };

const ADDED = {
  // Finds the operations of a record by the record's id, which no other index begins with. The two
  // indexes that this one replaces began with the connection, as others do. While the table had no
  // statistics, PostgreSQL could not tell them apart, and read all operations of the connection for
  // each record.
  outbound_operations_of_local_id: 'outbound_operations (tenant_id, local_id, id)',
  // Lists and replays the few operations that were given up.
  outbound_operations_dead: "outbound_operations (tenant_id, connection_id, id) where state = 'dead'",
  // Lists the issues that wait for a decision among those that were resolved.
  sync_issues_status: 'sync_issues (tenant_id, status, created_at desc, id desc)',
  // Finds the differences of a record. The worker looks for them after each write to the books.
  sync_issues_of_external_id:
    "sync_issues (tenant_id, connection_id, record_kind, external_id) where kind = 'difference'",
};

const REPLACED = {
  outbound_operations_last: 'outbound_operations (tenant_id, connection_id, kind, local_id, id)',
  outbound_operations_of_record:
    'outbound_operations (tenant_id, connection_id, kind, local_id, id) where next_at is not null',
};

export const up = (knex: Knex): Promise<void> => exchange(knex, ADDED, REPLACED);

export const down = (knex: Knex): Promise<void> => exchange(knex, REPLACED, ADDED);

async function exchange(knex: Knex, added: Record<string, string>, dropped: object): Promise<void> {
  for (const [name, on] of Object.entries(added))
    await knex.raw(`create index concurrently if not exists ${name} on ${on}`);
  for (const name of Object.keys(dropped)) await knex.raw(`drop index concurrently if exists ${name}`);
}
