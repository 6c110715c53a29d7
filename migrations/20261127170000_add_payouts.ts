import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** The streams that connections to Stripe get, and how often each is read. */
const NEW_STREAMS = "('payouts', 3600), ('payout_items', 3600), ('reconciliation', 86400)";

/**
 * Stores what payments vendors pay out to the account's bank, and what each payout contains. Adds
 * the stream of the daily comparison, also to connections that exist already.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table payouts (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      provider_payout_id text not null,
      amount_cents bigint not null,
      fee_cents bigint,
      status text not null,
      arrival_date date not null,
      failure_reason text,
      items_status text not null,
      -- True once the vendor has decided what the payout contains.
      are_items_ready boolean not null,
      observed_at timestamptz not null,
      created_at timestamptz not null,
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id)
    );
    create index payouts_created on payouts (tenant_id, created_at desc, id desc);
    create index payouts_with_unread_items on payouts (tenant_id, connection_id, id)
      where are_items_ready and items_status = 'pending';

    create table payout_items (
      tenant_id uuid not null,
      id uuid not null,
      payout_id uuid not null,
      connection_id uuid not null,
      provider_item_id text not null,
      type text not null,
      amount_cents bigint not null,
      fee_cents bigint not null,
      net_cents bigint not null,
      description text,
      -- The vendor's ids of the payment, and of the refund or dispute.
      provider_payment_id text,
      provider_source_id text,
      created_at timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, payout_id) references payouts (tenant_id, id)
    );
    create unique index payout_items_of_payout on payout_items (tenant_id, payout_id, provider_item_id);
    create index payout_items_created on payout_items (tenant_id, payout_id, created_at desc, id desc);

    alter table external_ids add column compared_at timestamptz;

    alter table sync_issues drop constraint sync_issues_kind_check;
    alter table sync_issues add constraint sync_issues_kind_check
      check (kind in ('refused', 'exhausted', 'conflict', 'gone', 'difference')) not valid;
    -- Of a difference: the vendor's id of the record, a digest of both sides, and the last time it was seen.
    alter table sync_issues add column external_id text;
    alter table sync_issues add column digest text;
    alter table sync_issues add column seen_at timestamptz;
    create unique index sync_issues_open_difference on sync_issues (tenant_id, connection_id, record_kind, external_id)
      where kind = 'difference' and status = 'open';
  `);
  for (const table of ['payouts', 'payout_items'])
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
  // Workers of the version before do not know these streams, and may run for some minutes yet.
  await knex.raw(`
    alter table connections no force row level security;
    alter table sync_states no force row level security;
    insert into sync_states (tenant_id, connection_id, stream, every_seconds, next_at)
    select c.tenant_id, c.id, s.stream, s.every_seconds, now() + interval '15 minutes' + random() * s.every_seconds * interval '1 second'
    from connections c cross join (values ${NEW_STREAMS}) as s (stream, every_seconds)
    where c.vendor = 'stripe' and c.status <> 'revoked'
    on conflict do nothing;
    alter table connections force row level security;
    alter table sync_states force row level security;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sync_states no force row level security;
    delete from sync_states where stream in ('payouts', 'payout_items', 'reconciliation');
    alter table sync_states force row level security;
    alter table sync_issues no force row level security;
    delete from sync_issues where kind = 'difference';
    alter table sync_issues force row level security;
    drop index sync_issues_open_difference;
    alter table sync_issues drop column external_id, drop column digest, drop column seen_at;
    alter table sync_issues drop constraint sync_issues_kind_check;
    alter table sync_issues add constraint sync_issues_kind_check check (kind in ('refused', 'exhausted', 'conflict', 'gone'));
    alter table external_ids drop column compared_at;
    drop table payout_items;
    drop table payouts;
  `);
}
