import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of claims, which request payment from motor clubs. A row also contains the
 * outcome.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table claims (
      tenant_id uuid not null,
      id uuid not null,
      invoice_id uuid not null,
      club text not null,
      provider_id text,
      po_number text,
      status text not null default 'queued' check (status in
        ('queued', 'submitted', 'accepted', 'paid', 'denied', 'rebilling', 'short_paid', 'expired', 'withdrawn')),
      status_reason text,
      submitted_at timestamptz,
      submit_by timestamptz not null,
      respond_by timestamptz,
      denial_code text,
      denial_reason text,
      attempt integer not null default 0 check (attempt between 0 and 3),
      expected_cents bigint not null check (expected_cents >= 0),
      paid_cents bigint not null default 0 check (paid_cents >= 0),
      evidence jsonb not null default '[]',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, invoice_id) references invoices
    );
    -- An invoice is asked for once at a time.
    create unique index claims_living on claims (tenant_id, invoice_id) where status not in ('paid', 'withdrawn', 'expired');
    create index claims_created on claims (tenant_id, created_at desc, id desc);
    create index claims_status on claims (tenant_id, status, created_at desc, id desc);
    create index claims_invoice on claims (tenant_id, invoice_id);
    alter table claims enable row level security;
    alter table claims force row level security;
    create policy tenant_isolation on claims using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table claims');
}
