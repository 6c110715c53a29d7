import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

const TABLES = [
  'connections',
  'connection_queues',
  'connection_secrets',
  'oauth_attempts',
  'external_ids',
  'sync_states',
  'sync_runs',
  'outbound_operations',
  'inbound_notices',
  'sync_issues',
  'connection_calls',
];

/**
 * Adds the tables for the connections of accounts to vendors, and for the work of these
 * connections.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connections (
      tenant_id uuid not null,
      id uuid not null,
      vendor text not null,
      kind text not null,
      label text,
      status text not null check (status in ('pending', 'active', 'paused', 'needs_reauth', 'failing', 'revoked')),
      status_reason text,
      environment text not null check (environment in ('live', 'sandbox')),
      settings jsonb not null default '{}',
      scopes text[] not null default '{}',
      webhook_url text not null,
      external_account text,
      -- SHA-256 of vendor and external account, for webhooks that name only these.
      account_hash bytea,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index connections_created on connections (tenant_id, created_at desc, id desc);
    create unique index connections_account on connections (tenant_id, vendor, external_account)
      where status <> 'revoked' and external_account is not null;
    create index connections_by_account on connections (account_hash) where account_hash is not null;

    -- The lease of the worker that holds the queue of a connection, and its health.
    create table connection_queues (
      tenant_id uuid not null,
      connection_id uuid not null,
      owner uuid,
      lease_until timestamptz,
      woken boolean not null default false,
      consecutive_failures integer not null default 0,
      opened integer not null default 0,
      open_until timestamptz,
      throttled_until timestamptz,
      last_success_at timestamptz,
      last_failure_at timestamptz,
      last_error text,
      last_webhook_at timestamptz,
      -- Calls since the window began, at most an hour ago.
      window_started_at timestamptz not null default now(),
      window_calls integer not null default 0,
      window_failures integer not null default 0,
      primary key (tenant_id, connection_id)
    );

    create table connection_secrets (
      tenant_id uuid not null,
      connection_id uuid not null,
      -- The connection's id is inside the sealed text.
      sealed text not null,
      access_expires_at timestamptz,
      refresh_expires_at timestamptz,
      -- Increases with each change. A refresh stores its result only if the version is unchanged.
      version integer not null default 1,
      refresh_lease_until timestamptz,
      -- How often the vendor refused to refresh since the last success.
      refusals integer not null default 0,
      primary key (tenant_id, connection_id)
    );

    create table oauth_attempts (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      state_hash bytea not null,
      verifier_sealed text not null,
      -- The person's session that began it; null: a key did.
      session_id uuid,
      expires_at timestamptz not null,
      used_at timestamptz,
      primary key (tenant_id, id)
    );

    create table external_ids (
      tenant_id uuid not null,
      connection_id uuid not null,
      kind text not null,
      local_id uuid not null,
      external_id text not null,
      version text,
      url text,
      written_at timestamptz not null default now(),
      primary key (tenant_id, connection_id, kind, local_id)
    );
    create unique index external_ids_external on external_ids (tenant_id, connection_id, kind, external_id);

    create table sync_states (
      tenant_id uuid not null,
      connection_id uuid not null,
      stream text not null,
      cursor text,
      -- Read again what changed since then, instead of from the cursor.
      since timestamptz,
      every_seconds integer not null,
      next_at timestamptz,
      primary key (tenant_id, connection_id, stream)
    );

    create table sync_runs (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      stream text not null,
      state text not null check (state in ('succeeded', 'failed')),
      changes integer not null default 0,
      dropped integer not null default 0,
      error text,
      started_at timestamptz not null default now(),
      ended_at timestamptz,
      primary key (tenant_id, id)
    );
    create index sync_runs_of_connection on sync_runs (tenant_id, connection_id, id desc);

    create table outbound_operations (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      kind text not null,
      local_id uuid not null,
      verb text not null,
      -- The vendor's idempotency key: the same on every attempt.
      operation_key uuid not null,
      state text not null default 'due' check (state in ('due', 'doing', 'done', 'waiting', 'dead')),
      attempts integer not null default 0,
      -- An attempt had no response, so the vendor may have processed it.
      may_have_arrived boolean not null default false,
      -- Null: it has ended.
      next_at timestamptz default now(),
      last_error text,
      last_error_kind text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      check ((next_at is null) = (state in ('done', 'dead')))
    );
    create index outbound_operations_of_connection on outbound_operations (tenant_id, connection_id, id desc);
    create index outbound_operations_due on outbound_operations (tenant_id, connection_id, next_at, id) where next_at is not null;
    create index outbound_operations_of_record on outbound_operations (tenant_id, connection_id, kind, local_id, id)
      where next_at is not null;

    create table inbound_notices (
      tenant_id uuid not null,
      connection_id uuid not null,
      dedupe_id text not null,
      stream text not null,
      received_at timestamptz not null default now(),
      primary key (tenant_id, connection_id, dedupe_id)
    );
    create index inbound_notices_received on inbound_notices (tenant_id, received_at);

    create table sync_issues (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      kind text not null check (kind in ('refused', 'exhausted', 'conflict', 'gone')),
      status text not null default 'open' check (status in ('open', 'resolved')),
      operation_id uuid,
      record_kind text,
      record_id uuid,
      message text not null,
      ours jsonb,
      theirs jsonb,
      resolution text check (resolution in ('retry', 'ours', 'theirs', 'ignore')),
      note text,
      decided_by text,
      decided_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index sync_issues_created on sync_issues (tenant_id, created_at desc, id desc);

    create table connection_calls (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      method text not null,
      path text not null,
      response_status smallint,
      error text,
      total_ms integer not null,
      vendor_request_id text,
      -- Names of the fields of the bodies, never their values.
      request_fields text[] not null default '{}',
      response_fields text[] not null default '{}',
      created_at timestamptz not null,
      primary key (tenant_id, id)
    );
    create index connection_calls_of_connection on connection_calls (tenant_id, connection_id, id desc);
  `);
  for (const table of TABLES)
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
  await knex.raw(`
    -- A vendor that signs per application names only its own account: that one row may be read, and
    -- only read.
    create policy account_lookup on connections for select
      using (account_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex'));
    -- The connection that sends a text; null: the mail server or the outbox.
    alter table messages add column connection_id uuid;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table messages drop column connection_id');
  for (const table of TABLES) await knex.raw(`drop table ${table}`);
}
