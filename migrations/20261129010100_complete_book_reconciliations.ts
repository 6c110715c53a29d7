import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Lets comparisons with the books fail, and remembers which invoices of the books a comparison has
 * seen. A comparison is no stream any more: workers of earlier versions read every due stream, also
 * one that they do not know.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table book_reconciliations
      -- The page to read next; null for the first one.
      add column place jsonb,
      -- When the next page is due; null if there is none.
      add column next_at timestamptz,
      -- Failed tries to read that page.
      add column failures integer not null default 0,
      add column last_error text,
      drop constraint book_reconciliations_status_check,
      add constraint book_reconciliations_status_check check (status in ('running', 'complete', 'failed'));

    -- The invoices in the books that a comparison has seen. They are deleted at its end.
    create table compared_book_invoices (
      tenant_id uuid not null,
      connection_id uuid not null,
      external_id text not null,
      reconciliation_id uuid not null,
      -- Our invoice; null if there is none, or if another record in the books is that invoice.
      invoice_id uuid,
      primary key (tenant_id, connection_id, external_id)
    );
    create index compared_book_invoices_of_invoice on compared_book_invoices (tenant_id, connection_id, invoice_id);
    alter table compared_book_invoices enable row level security;
    alter table compared_book_invoices force row level security;
    create policy tenant_isolation on compared_book_invoices using (${POLICY}) with check (${POLICY});

    -- End the comparisons that run as streams. The owner of the tables must see all accounts.
    alter table book_reconciliations no force row level security;
    alter table sync_states no force row level security;
    delete from sync_states s using book_reconciliations r
      where s.tenant_id = r.tenant_id and s.connection_id = r.connection_id and s.stream = 'reconciliation';
    update book_reconciliations set status = 'failed', ended_at = now(), last_error = 'The service was updated. Compare again.'
      where status = 'running';
    alter table sync_states force row level security;
    alter table book_reconciliations force row level security;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table compared_book_invoices;
    delete from book_reconciliations where status = 'failed';
    alter table book_reconciliations drop column place, drop column next_at, drop column failures, drop column last_error,
      drop constraint book_reconciliations_status_check,
      add constraint book_reconciliations_status_check check (status in ('running', 'complete'));
  `);
}
