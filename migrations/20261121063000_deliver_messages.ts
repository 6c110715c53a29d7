import type { Knex } from 'knex';

/**
 * Adds columns to messages for the state of their delivery to a provider, and for the state of the
 * link that they contain.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages
      add column updated_at timestamptz not null default now(),
      add column attempts integer not null default 0,
      -- No worker takes a queued message before this: the lease of the one that has it, or the wait after a failure.
      add column attempt_after timestamptz not null default now(),
      -- Its provider has it; what follows from that is still to be recorded.
      add column accepted_at timestamptz,
      add column link_expires_at timestamptz,
      add column link_revoked_at timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages drop column updated_at, drop column attempts, drop column attempt_after, drop column accepted_at,
      drop column link_expires_at, drop column link_revoked_at;
  `);
}
