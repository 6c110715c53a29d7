import type { Knex } from 'knex';

/**
 * Creates the tables that every write uses: audit entries (the inbox of commands), events,
 * idempotency records and pending operations.
 *
 * These tables have no foreign key to `tenants`. Each insert would check such a key by a lock on
 * the tenant's row, so all writes of a tenant would lock the same row. No foreign key is needed: a
 * tenant is never deleted, and the policy accepts a row only for a tenant that the session names.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table audit_entries (
      tenant_id uuid not null,
      -- The command's id (UUIDv7): the primary key is what makes a job that runs twice act once, and it sorts by time.
      id uuid not null,
      occurred_at timestamptz not null default now(),
      actor_type text not null check (actor_type in ('user', 'agent', 'api_key', 'system', 'integration')),
      actor_id uuid,
      actor_name text,
      action text not null,
      entity_type text,
      entity_id uuid,
      outcome text not null check (outcome in ('ok', 'denied', 'failed', 'dry_run', 'held')),
      source text not null check (source in ('rest', 'mcp', 'dashboard', 'webhook', 'job')),
      tool text,
      changes jsonb,
      error jsonb,
      response_status smallint,
      request_id text,
      idempotency_key uuid,
      ip text,
      user_agent text,
      primary key (tenant_id, id)
    );
    create index audit_entries_entity on audit_entries (tenant_id, entity_type, entity_id);

    create table events (
      tenant_id uuid not null,
      id uuid not null,
      type text not null,
      occurred_at timestamptz not null default now(),
      -- The exact bytes that every attempt will send.
      body text not null,
      primary key (tenant_id, id)
    );

    create table idempotency_keys (
      tenant_id uuid not null,
      key uuid not null,
      command_id uuid not null,
      method text not null,
      path text not null,
      body_hash text not null,
      status smallint not null,
      location text,
      body text not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, key)
    );
    create index idempotency_keys_age on idempotency_keys using brin (created_at);

    create table operations (
      tenant_id uuid not null,
      id uuid not null,
      command jsonb not null,
      -- When the clock may hand it to the queue again.
      lease_until timestamptz not null default now(),
      created_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );

    create table command_attempts (
      tenant_id uuid not null,
      command_id uuid not null,
      command jsonb not null,
      attempts integer not null default 1,
      first_attempt_at timestamptz not null default now(),
      last_attempt_at timestamptz not null default now(),
      parked_at timestamptz,
      primary key (tenant_id, command_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table command_attempts, operations, idempotency_keys, events, audit_entries');
}
