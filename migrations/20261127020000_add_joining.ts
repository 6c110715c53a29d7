import type { Knex } from 'knex';

const TABLES = ['invitations', 'password_resets', 'sign_ups', 'sign_up_tokens', 'access_mails'];

/** The tables whose rows are found by the hash of a link's token, before the account is known. */
const LINKED_TABLES = ['invitations', 'password_resets'];

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

const HASH_POLICY = `token_hash = decode(nullif(current_setting('app.key_hash', true), ''), 'hex')`;

/**
 * Adds invitations, password resets, sign-ups that are not verified yet, and the mails with their
 * links. What strangers send belongs to no account, so its tenant_id is the nil UUID.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table invitations (
      tenant_id uuid not null,
      id uuid not null,
      email text not null,
      role text not null check (role in ('owner', 'admin', 'dispatcher', 'bookkeeper', 'driver', 'viewer')),
      token_hash bytea not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      expires_at timestamptz not null,
      accepted_at timestamptz,
      revoked_at timestamptz,
      primary key (tenant_id, id)
    );
    create index invitations_token on invitations (token_hash);
    create unique index invitations_open on invitations (tenant_id, lower(email))
      where accepted_at is null and revoked_at is null;
    create index invitations_created on invitations (tenant_id, created_at desc, id desc);

    create table password_resets (
      tenant_id uuid not null,
      id uuid not null,
      user_id uuid not null,
      token_hash bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz,
      primary key (tenant_id, id),
      foreign key (tenant_id, user_id) references users
    );
    create index password_resets_token on password_resets (token_hash);
    create index password_resets_user on password_resets (tenant_id, user_id);

    -- Sign-ups whose address is not verified yet. Their accounts do not exist.
    create table sign_ups (
      tenant_id uuid not null,
      id uuid not null,
      email text not null,
      company text not null,
      name text not null,
      password_hash text not null,
      token_hash bytea not null,
      -- The token of an operator, if SIGNUP is invite.
      invited_by uuid,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      completed_at timestamptz,
      primary key (tenant_id, id)
    );
    create unique index sign_ups_token on sign_ups (tenant_id, token_hash);
    create index sign_ups_created on sign_ups (tenant_id, created_at);
    create index sign_ups_email on sign_ups (tenant_id, lower(email), created_at);

    create table sign_up_tokens (
      tenant_id uuid not null,
      id uuid not null,
      token_hash bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz,
      primary key (tenant_id, id)
    );
    create unique index sign_up_tokens_token on sign_up_tokens (tenant_id, token_hash);

    -- True if an API key chose the address. Its mails then set no password.
    alter table users add column is_email_set_by_key boolean not null default false;

    -- The outbox of mails about access: links, and what happened to a password.
    create table access_mails (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('invitation', 'password_reset', 'password_changed', 'sign_up', 'reset_request')),
      recipient text not null,
      subject text not null default '',
      body_text text not null default '',
      -- The record whose link replaces {link} in the text. The link itself is stored nowhere.
      link_id uuid,
      -- Of a reset request: the network that asked, and whether the person had signed in from it.
      network text,
      is_known boolean,
      state text not null default 'queued' check (state in ('queued', 'sent', 'failed')),
      error text,
      attempts integer not null default 0,
      attempt_after timestamptz not null default now(),
      counted_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index access_mails_queued on access_mails (tenant_id, attempt_after) where state = 'queued';
    create index access_mails_recipient on access_mails (tenant_id, lower(recipient), created_at);
  `);
  for (const table of TABLES) {
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
  }
  for (const table of LINKED_TABLES)
    await knex.raw(`create policy token_lookup on ${table} for select using (${HASH_POLICY})`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table ${TABLES.join(', ')}`);
  await knex.raw('alter table users drop column is_email_set_by_key');
}
