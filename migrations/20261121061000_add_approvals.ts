import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of approvals, which await a person's decision. Adds columns to invoices for the
 * agent key that last set the price. The approval threshold also counts earlier prices of the same
 * agent key.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table approvals (
      tenant_id uuid not null,
      -- Of a held write: its command's id, and so also the id of its audit entry.
      id uuid not null,
      kind text not null check (kind in ('agent_write', 'invoice_approval')),
      status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'expired', 'cancelled')),
      -- The command that approving runs.
      action text not null,
      -- The record it makes or changes.
      entity_id uuid not null,
      agent_id uuid,
      agent_name text,
      source text not null,
      tool text,
      payload jsonb not null,
      amount_cents bigint not null,
      -- What the gate reckoned: the amount and what it counts together with.
      counted_cents bigint,
      justification text,
      -- Of a held new invoice: null until it is made.
      invoice_id uuid,
      -- The changed record's updated_at when its write was held or proposed; null when there is none yet.
      record_version timestamptz,
      -- Of what is shown: payload, amount and version.
      hash text not null,
      -- What changed in it since it was first shown.
      changes jsonb not null default '[]',
      decided_by uuid,
      decided_at timestamptz,
      note text,
      expires_at timestamptz not null default now() + interval '7 days',
      created_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, invoice_id) references invoices
    );
    create index approvals_created on approvals (tenant_id, created_at desc, id desc);
    create index approvals_status on approvals (tenant_id, status, created_at desc, id desc);
    create index approvals_agent on approvals (tenant_id, agent_id, created_at desc, id desc) where agent_id is not null;
    create index approvals_invoice on approvals (tenant_id, invoice_id, created_at desc, id desc) where invoice_id is not null;
    create index approvals_expiry on approvals (tenant_id, expires_at) where status = 'pending';
    -- One open proposal for each invoice.
    create unique index approvals_open_proposal on approvals (tenant_id, invoice_id)
      where kind = 'invoice_approval' and status = 'pending';

    alter table approvals enable row level security;
    alter table approvals force row level security;
    create policy tenant_isolation on approvals using (${POLICY}) with check (${POLICY});

    alter table invoices
      -- The agent key that last priced it, by making it or by replacing its lines.
      add column agent_id uuid,
      add column agent_priced_at timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table approvals;
    alter table invoices drop column agent_id, drop column agent_priced_at;
  `);
}
