import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the second factors of people: authenticator apps, passkeys and recovery codes. The columns
 * of sessions and tenants have migrations of their own: requests read both tables in one
 * transaction, and a migration that locked one and waited for the other could deadlock with them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table user_factors (
      tenant_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      kind text not null check (kind in ('totp', 'passkey', 'recovery_codes')),
      name text not null,
      -- Only this session may confirm the factor.
      session_id uuid,
      -- Of an authenticator app: its encrypted secret, and the time step of the last used code.
      secret_sealed text,
      last_step bigint,
      -- Of a passkey. Only its creation uses the challenge.
      challenge text,
      credential_id text,
      public_key text,
      counter bigint,
      transports text[],
      -- Keyed hashes of the recovery codes that are left.
      code_hashes text[],
      created_at timestamptz not null default now(),
      confirmed_at timestamptz,
      last_used_at timestamptz,
      removed_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, user_id) references users
    );
    create index user_factors_user on user_factors (tenant_id, user_id) where removed_at is null;
    alter table user_factors enable row level security;
    alter table user_factors force row level security;
    create policy tenant_isolation on user_factors using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table user_factors');
}
