import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Lets messages belong to a work order instead of an invoice, and come from customers. Stores which
 * numbers asked for no more texts, and the account's texts about jobs.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages alter column invoice_id drop not null;
    alter table messages add column work_order_id uuid;
    alter table messages add column direction text not null default 'outbound';
    alter table messages add column sender text;
    alter table messages add column template text;
    alter table messages add column external_id text;
    -- In how many parts carriers send a text; null for a mail, and for texts from before.
    alter table messages add column segments integer;
    alter table messages drop constraint messages_state_check;
    alter table messages add constraint messages_state_check
      check (state in ('queued', 'sent', 'failed', 'received')) not valid;

    create table text_consents (
      tenant_id uuid not null,
      id uuid not null,
      -- The last ten digits of the number, by which numbers are compared.
      phone_key text not null,
      number text not null,
      state text not null check (state in ('opted_in', 'opted_out')),
      source text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create unique index text_consents_number on text_consents (tenant_id, phone_key);
    create index text_consents_created on text_consents (tenant_id, created_at desc, id desc);

    create table message_templates (
      tenant_id uuid not null,
      id uuid not null,
      key text not null,
      text text not null,
      enabled boolean not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create unique index message_templates_key on message_templates (tenant_id, key);
  `);
  for (const table of ['text_consents', 'message_templates'])
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table message_templates;
    drop table text_consents;
    delete from messages where invoice_id is null;
    alter table messages drop constraint messages_state_check;
    alter table messages add constraint messages_state_check check (state in ('queued', 'sent', 'failed'));
    alter table messages drop column segments, drop column external_id, drop column template, drop column sender, drop column direction,
      drop column work_order_id;
    alter table messages alter column invoice_id set not null;
  `);
}
