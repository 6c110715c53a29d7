import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Adds columns for facts that the worker of a connection must remember between two steps. All
 * defaults are constant, so no row is rewritten. The defaults do not change the meaning of rows
 * that processes of the previous release wrote.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.transaction(async (trx) => {
    // Stop waiting for a lock before the application's sessions do, which wait 2 s. Writes that
    // wait behind this step then succeed.
    await trx.raw("set local lock_timeout = '1s'");
    await trx.raw(`
      -- How often the stream was made due. A pull must not swallow a request that arrives during it.
      alter table sync_states add column if not exists requests integer not null default 0;
      -- When the first attempt under this operation_key began. Vendors forget keys after a while.
      alter table outbound_operations add column if not exists first_attempt_at timestamptz;
      alter table connection_secrets
        -- False until the vendor has named the account of secrets that a person entered.
        add column if not exists verified boolean not null default true,
        -- Failed tries to revoke the access of a disconnected connection, and the next one.
        add column if not exists revoke_attempts integer not null default 0,
        add column if not exists revoke_at timestamptz;
    `);
  });
  for (const [name, on] of Object.entries(INDEXES)) {
    await knex.raw(`drop index concurrently if exists ${name}`);
    await knex.raw(`create index concurrently ${name} on ${on}`);
  }
}

const INDEXES = {
  outbound_operations_last: 'outbound_operations (tenant_id, connection_id, kind, local_id, id)',
  sync_issues_of_operation: 'sync_issues (tenant_id, operation_id) where operation_id is not null',
};

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index outbound_operations_last;
    drop index sync_issues_of_operation;
    alter table sync_states drop column requests;
    alter table outbound_operations drop column first_attempt_at;
    alter table connection_secrets drop column verified, drop column revoke_attempts, drop column revoke_at;
  `);
}
