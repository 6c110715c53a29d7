import type { Knex } from 'knex';

/** Creates the tables of tenants, users and API keys. A sandbox is a tenant too. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table tenants (
      tenant_id uuid primary key,
      name text not null,
      environment text not null check (environment in ('live', 'sandbox')),
      live_tenant_id uuid references tenants,
      tier text not null default 'standard' check (tier in ('starter', 'standard', 'premium')),
      time_zone text not null default 'America/New_York',
      tax_rate_bps integer not null default 0 check (tax_rate_bps between 0 and 10000),
      grace_days integer not null default 0 check (grace_days between 0 and 365),
      terms_days integer not null default 30 check (terms_days between 0 and 365),
      agent_gate_cents bigint check (agent_gate_cents >= 0),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      check ((environment = 'sandbox') = (live_tenant_id is not null))
    );

    create table users (
      tenant_id uuid not null references tenants,
      id uuid not null,
      email text not null,
      name text not null,
      password_hash text not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create unique index users_email on users (tenant_id, lower(email));

    create table api_keys (
      tenant_id uuid not null references tenants,
      id uuid not null,
      kind text not null check (kind in ('api', 'agent')),
      name text not null,
      prefix text not null,
      last_four text not null,
      key_hash bytea not null,
      permissions text[] not null default '{}',
      scopes text[] not null default '{}',
      read_only boolean not null default false,
      tier text check (tier in ('starter', 'standard', 'premium')),
      rolled_from uuid,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      primary key (tenant_id, id)
    );
    -- Not unique on purpose: a unique index that does not lead with tenant_id would tell one tenant of another's rows.
    create index api_keys_hash on api_keys (key_hash);
    create index api_keys_created on api_keys (tenant_id, created_at desc, id desc);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table api_keys, users, tenants');
}
