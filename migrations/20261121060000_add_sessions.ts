import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of sessions, and a policy that finds users by e-mail address at sign-in. Also adds
 * the column `sandbox_tenant_id`, which leads from a live tenant to its sandbox.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sessions (
      tenant_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      token_hash bytea not null,
      created_at timestamptz not null default now(),
      -- Moved forward while the session is used.
      idle_expires_at timestamptz not null,
      expires_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, user_id) references users
    );
    -- Does not lead with tenant_id, as api_keys_hash does not: the token is all that is known of a session. Not unique, for the same reason.
    create index sessions_token on sessions (token_hash);
    create index sessions_user on sessions (tenant_id, user_id);
    alter table sessions enable row level security;
    alter table sessions force row level security;
    create policy tenant_isolation on sessions using (${POLICY}) with check (${POLICY});
    -- Whoever holds the hash may read that one row, and only read it.
    create policy token_lookup on sessions for select
      using (token_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex'));

    alter table users
      add column updated_at timestamptz not null default now(),
      add column deactivated_at timestamptz;
    -- Who signs in gives an e-mail and no tenant: this finds people of every tenant by that one address, and only to read them.
    create policy email_lookup on users for select
      using (lower(email) = nullif(current_setting('app.user_email', true), ''));

    alter table tenants add column sandbox_tenant_id uuid;
  `);
  // The policy also applies to the owner of the table, so lift it for the update. This locks the
  // table against other sessions until the transaction ends.
  await knex.raw(`
    alter table tenants no force row level security;
    update tenants live set sandbox_tenant_id = twin.tenant_id from tenants twin where twin.live_tenant_id = live.tenant_id;
    alter table tenants force row level security;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table tenants drop column sandbox_tenant_id;
    drop policy email_lookup on users;
    alter table users drop column updated_at, drop column deactivated_at;
    drop table sessions;
  `);
}
