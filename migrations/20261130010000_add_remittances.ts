import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** Adds the lists with which motor clubs say what one check or transfer pays. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table remittances (
      tenant_id uuid not null,
      id uuid not null,
      payer text not null,
      reference text not null,
      -- Two remittances of a payer never have the same reference, whatever its case.
      identity text not null generated always as (lower(payer) || chr(10) || lower(reference)) stored,
      paid_on date not null,
      total_cents bigint not null check (total_cents >= 0),
      customer_id uuid,
      status text not null check (status in ('matched', 'partly_applied', 'applied')),
      -- What follows from the lines.
      lines_cents bigint not null,
      applied_cents bigint not null,
      line_count integer not null,
      ready_count integer not null,
      open_count integer not null,
      applied_count integer not null,
      ignored_count integer not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      unique (tenant_id, identity),
      foreign key (tenant_id, customer_id) references customers
    );
    create index remittances_created on remittances (tenant_id, created_at desc, id desc);
    create index remittances_status on remittances (tenant_id, status, created_at desc, id desc);

    create table remittance_lines (
      tenant_id uuid not null,
      id uuid not null,
      remittance_id uuid not null,
      position integer not null,
      po_number text,
      invoice_number text,
      amount_cents bigint not null,
      note text,
      status text not null check (status in ('open', 'applied', 'ignored')),
      outcome text not null,
      reason text not null,
      claim_id uuid,
      invoice_id uuid,
      expected_cents bigint,
      is_claim_named boolean not null,
      ignored_reason text,
      payment_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, remittance_id) references remittances,
      check ((status = 'applied') = (payment_id is not null))
    );
    create index remittance_lines_created on remittance_lines (tenant_id, created_at desc, id desc);
    create index remittance_lines_of_remittance on remittance_lines (tenant_id, remittance_id, created_at desc, id desc);
  `);
  for (const table of ['remittances', 'remittance_lines'])
    await knex.raw(`
      alter table ${table} enable row level security;
      alter table ${table} force row level security;
      create policy tenant_isolation on ${table} using (${POLICY}) with check (${POLICY});
    `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table remittance_lines; drop table remittances');
}
