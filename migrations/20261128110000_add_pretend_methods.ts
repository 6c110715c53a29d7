import type { Knex } from 'knex';

/**
 * A payment method of a sandbox that pretends it, and the attempts to charge it, have no
 * connection.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table saved_methods alter column connection_id drop not null;
    alter table autopay_attempts alter column connection_id drop not null;
    create index autopay_attempts_pretended on autopay_attempts (tenant_id, id)
      where status = 'charging' and connection_id is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index autopay_attempts_pretended;
    delete from autopay_attempts where connection_id is null;
    delete from saved_methods where connection_id is null;
    alter table autopay_attempts alter column connection_id set not null;
    alter table saved_methods alter column connection_id set not null;
  `);
}
