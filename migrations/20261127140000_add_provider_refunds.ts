import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Stores what a payments vendor reports about refunds. Adds disputes: payments that a customer's
 * bank takes back, or wants to.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table refunds add column status text not null default 'succeeded';
    alter table refunds add column failure_reason text;
    alter table refunds add column connection_id uuid;
    alter table refunds add column observed_at timestamptz;
    alter table refunds add column updated_at timestamptz not null default now();
    alter table refunds add constraint refunds_status check (status in ('pending', 'succeeded', 'failed')) not valid;

    create table disputes (
      tenant_id uuid not null,
      id uuid not null,
      payment_id uuid not null,
      invoice_id uuid not null,
      connection_id uuid not null,
      provider_dispute_id text not null,
      amount_cents bigint not null,
      reason text not null,
      status text not null,
      respond_by timestamptz,
      evidence jsonb,
      evidence_sent_at timestamptz,
      -- The refund that took the payment back when the dispute was lost.
      refund_id uuid,
      observed_at timestamptz not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, payment_id) references payments (tenant_id, id)
    );
    create index disputes_created on disputes (tenant_id, created_at desc, id desc);
    create index disputes_of_payment on disputes (tenant_id, payment_id);
    alter table disputes enable row level security;
    alter table disputes force row level security;
    create policy tenant_isolation on disputes using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table disputes;
    alter table refunds drop constraint refunds_status;
    alter table refunds drop column updated_at, drop column observed_at, drop column connection_id, drop column failure_reason,
      drop column status;
  `);
}
