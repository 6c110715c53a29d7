import type { Knex } from 'knex';

const TABLES = [
  'webhook_endpoints',
  'webhook_secrets',
  'webhook_lanes',
  'webhook_deliveries',
  'webhook_attempts',
  'webhook_replays',
];

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the tables of webhooks. Deliveries and attempts are partitioned by their ids, which begin
 * with the time (UUIDv7). So an id determines its partition, and (tenant_id, id) can be the primary
 * key. Dropping a partition removes old rows.
 *
 * The partitions are in a schema that the application's role cannot access. So no query can bypass
 * the policy of the parent table. migrations/partitions.ts creates and drops the partitions. The
 * default partitions only receive rows of weeks without a partition.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table webhook_endpoints (
      tenant_id uuid not null,
      id uuid not null,
      url text not null,
      event_types text[] not null,
      description text,
      -- Custom headers as JSON, encrypted: they may be the receiver's credentials. Their names alone are shown.
      headers_sealed text,
      header_names text[] not null default '{}',
      rate_limit_per_second integer check (rate_limit_per_second > 0),
      max_in_flight integer not null check (max_in_flight > 0),
      enabled boolean not null default true,
      disabled_reason text check (disabled_reason in ('user', 'failing', 'gone', 'receiver')),
      disabled_at timestamptz,
      deleted_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index webhook_endpoints_created on webhook_endpoints (tenant_id, created_at desc, id desc);

    create table webhook_secrets (
      tenant_id uuid not null,
      id uuid not null,
      endpoint_id uuid not null,
      -- v1: HMAC-SHA256; v1a: ed25519 (Standard Webhooks).
      scheme text not null check (scheme in ('v1', 'v1a')),
      secret_sealed text not null,
      public_key text,
      created_at timestamptz not null default now(),
      -- Set by a rotation: it signs beside its successor until then.
      expires_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, endpoint_id) references webhook_endpoints
    );
    create index webhook_secrets_endpoint on webhook_secrets (tenant_id, endpoint_id);

    -- What the delivery workers remember of an endpoint. One worker at a time owns a lane, so that its limits hold whatever number of workers runs.
    create table webhook_lanes (
      tenant_id uuid not null,
      endpoint_id uuid not null,
      owner uuid,
      lease_until timestamptz,
      -- Another worker was told of new work while the owner had the lane.
      woken boolean not null default false,
      consecutive_failures integer not null default 0,
      -- The first failure since the last success.
      failing_since timestamptz,
      last_success_at timestamptz,
      last_failure_at timestamptz,
      last_error text,
      -- The circuit breaker: how often in a row it has opened, and until when nothing is sent.
      opened integer not null default 0,
      open_until timestamptz,
      -- 429, 502, 504 or a Retry-After ask for a pause without a breaker.
      throttled_until timestamptz,
      is_slow boolean not null default false,
      -- The receiver asked for the end: answered 410, or webhook-delivery: disable.
      stop_reason text check (stop_reason in ('gone', 'receiver')),
      exhausted_count integer not null default 0,
      last_exhausted_id uuid,
      -- What the account has been told already.
      exhausted_told_count integer not null default 0,
      exhausted_told_at timestamptz,
      warned_hours integer not null default 0,
      probe_after timestamptz,
      probes integer not null default 0,
      primary key (tenant_id, endpoint_id),
      foreign key (tenant_id, endpoint_id) references webhook_endpoints
    );

    create table webhook_deliveries (
      tenant_id uuid not null,
      -- Of an event's own delivery: the event's time, then a hash of event and endpoint. So the same delivery cannot be made twice.
      id uuid not null,
      endpoint_id uuid not null,
      event_id uuid not null,
      event_type text not null,
      trigger text not null default 'event' check (trigger in ('event', 'replay', 'recover', 'test', 'probe')),
      replay_id uuid,
      replay_of uuid,
      -- Only of tests and probes, which are no events: the bytes to send.
      body text,
      -- 0: live; 1: replays, which wait for live ones.
      priority smallint not null default 0,
      status text not null default 'pending'
        check (status in ('pending', 'delivering', 'succeeded', 'failed', 'exhausted', 'cancelled')),
      attempts smallint not null default 0,
      -- Null once it has ended.
      next_attempt_at timestamptz default now(),
      last_attempt_at timestamptz,
      last_response_status smallint,
      last_error text,
      completed_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (tenant_id, id)
    ) partition by range (id);
    create index webhook_deliveries_due on webhook_deliveries (tenant_id, endpoint_id, priority, next_attempt_at, id)
      where next_attempt_at is not null;
    create index webhook_deliveries_endpoint on webhook_deliveries (tenant_id, endpoint_id, id);
    create index webhook_deliveries_type on webhook_deliveries (tenant_id, event_type, id);
    create index webhook_deliveries_event on webhook_deliveries (tenant_id, event_id, id);
    create index webhook_deliveries_status on webhook_deliveries (tenant_id, status, id) where status <> 'succeeded';
    -- What goes well from the first try never enters these.
    create index webhook_deliveries_endpoint_status on webhook_deliveries (tenant_id, endpoint_id, status, id)
      where status in ('failed', 'exhausted', 'cancelled');
    create index webhook_deliveries_trigger on webhook_deliveries (tenant_id, trigger, id) where trigger <> 'event';
    create index webhook_deliveries_replay on webhook_deliveries (tenant_id, replay_id, id) where replay_id is not null;

    create table webhook_attempts (
      tenant_id uuid not null,
      id uuid not null,
      delivery_id uuid not null,
      endpoint_id uuid not null,
      attempt smallint not null,
      started_at timestamptz not null,
      url text not null,
      request_headers json not null,
      response_status smallint,
      response_headers json,
      -- The first 16 KiB.
      response_body text,
      response_truncated boolean not null default false,
      error_class text,
      error_message text,
      remote_address text,
      connect_ms integer,
      first_byte_ms integer,
      total_ms integer not null,
      primary key (tenant_id, id)
    ) partition by range (id);
    create index webhook_attempts_delivery on webhook_attempts (tenant_id, delivery_id, id);

    create table webhook_replays (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('replay', 'recover')),
      endpoint_id uuid,
      filter jsonb not null,
      status text not null default 'running' check (status in ('running', 'completed', 'cancelled')),
      -- Null: more had to be looked through than can be counted at once.
      total integer,
      created_count integer not null default 0,
      -- By endpoint: the id of the last event or delivery that was looked at, or 'done'.
      positions jsonb not null default '{}',
      -- As in events: nothing is looked at before all older transactions have ended, so that no event of theirs is missed.
      xid xid8 default pg_current_xact_id(),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      completed_at timestamptz,
      primary key (tenant_id, id)
    );
    create index webhook_replays_running on webhook_replays (tenant_id, id) where status = 'running';

    create schema partitions;
    create table partitions.webhook_deliveries_default partition of webhook_deliveries default;
    create table partitions.webhook_attempts_default partition of webhook_attempts default;
  `);
  for (const table of TABLES) {
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'drop table webhook_replays, webhook_attempts, webhook_deliveries, webhook_lanes, webhook_secrets, webhook_endpoints; drop schema partitions',
  );
}
