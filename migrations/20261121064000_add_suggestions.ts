import type { Knex } from 'knex';

const TABLES = ['suggestions', 'detector_thresholds', 'detector_marks', 'detector_looks'];

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of suggestions, which point out money that an account has not billed. Adds tables
 * for the state of the detectors that make suggestions: learned thresholds, and the last record
 * that was read.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table suggestions (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('missed_fee', 'denial', 'anomaly')),
      detector text not null,
      entity_type text not null,
      entity_id uuid not null,
      -- Tells apart what can happen to one entity more than once, such as the denials of a claim.
      occasion text not null default '',
      -- The invoice that its lines would be added to.
      invoice_id uuid,
      title text not null,
      rationale text not null,
      amount_cents bigint not null check (amount_cents >= 0),
      confidence numeric(3, 2) not null check (confidence between 0 and 1),
      proposed_lines jsonb not null default '[]',
      status text not null default 'open' check (status in ('open', 'accepted', 'dismissed', 'expired')),
      decided_by jsonb,
      decided_at timestamptz,
      note text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      primary key (tenant_id, id),
      foreign key (tenant_id, invoice_id) references invoices
    );
    -- The same thing is told once: not twice, and not again when it was dismissed.
    create unique index suggestions_occasion on suggestions (tenant_id, detector, entity_id, occasion);
    create index suggestions_created on suggestions (tenant_id, created_at desc, id desc);
    create index suggestions_status on suggestions (tenant_id, status, created_at desc, id desc);
    create index suggestions_entity on suggestions (tenant_id, entity_id, created_at desc, id desc);
    create index suggestions_invoice on suggestions (tenant_id, invoice_id) where invoice_id is not null;

    create table detector_thresholds (
      tenant_id uuid not null,
      detector text not null,
      threshold numeric not null,
      accepts integer not null default 0,
      dismissals integer not null default 0,
      updated_at timestamptz not null default now(),
      primary key (tenant_id, detector)
    );

    create table detector_marks (
      tenant_id uuid not null,
      looked_until timestamptz not null,
      primary key (tenant_id)
    );

    -- The versions looked at lately: changes are looked for with an overlap, and none is looked at twice.
    create table detector_looks (
      tenant_id uuid not null,
      invoice_id uuid not null,
      version timestamptz not null,
      primary key (tenant_id, invoice_id)
    );
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
  await knex.raw(`drop table ${TABLES.join(', ')}`);
}
