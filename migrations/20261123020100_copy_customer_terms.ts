import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/** The states of an invoice that the clock may change to overdue. */
const OPEN = `('sending', 'sent_to_roadsync', 'viewed', 'partially_paid')`;
/** The states of a claim that awaits the motor club's response. */
const WITH_CLUB = `('submitted', 'accepted')`;

/**
 * Runs without one transaction around all steps. Each step locks only one filled table, so no step
 * can deadlock with a batch of writes.
 */
export const config = { transaction: false };

/**
 * Adds copies of the customer's terms and of the claim's state to invoices. With these copies, the
 * overdue sweep reads only newly due invoices, not all open invoices. Triggers maintain the copies,
 * because processes of the previous release may still run and do not know these columns.
 *
 * `own_terms_due_at` is the due date by the customer's own terms. A trigger calculates this date
 * when the invoice becomes open. If the customer's terms change later, a trigger records the change
 * in terms_changes. The clock then updates the customer's open invoices.
 *
 * The copies do not depend on the account's time zone, grace days or terms. The sweep adds grace
 * days and terms. It also searches three hours further, because a day in the account's time zone
 * can be shorter than 24 hours.
 */
export async function up(knex: Knex): Promise<void> {
  // The trigger that records changes is created before the first copy is made, so no change is
  // missed.
  for (const step of [ADD_COPIES, NOTE_TERMS, NOTE_CLUBS, RECKON_TERMS]) {
    await knex.transaction(async (trx) => {
      // Stop waiting for a lock before the application's sessions do, which wait 2 s. Writes that
      // wait behind this step then succeed.
      await trx.raw("set local lock_timeout = '1s'");
      await trx.raw(step);
    });
  }
}

const ADD_COPIES = `
  alter table invoices
    add column if not exists own_terms_due_at timestamptz,
    add column if not exists is_with_club boolean not null default false;

  create table if not exists terms_changes (
    tenant_id uuid not null,
    customer_id uuid not null,
    -- Once no older transaction runs, every invoice reckoned by the terms before can be seen.
    settled_after xid8,
    primary key (tenant_id, customer_id)
  );
  alter table terms_changes enable row level security;
  alter table terms_changes force row level security;
  drop policy if exists tenant_isolation on terms_changes;
  create policy tenant_isolation on terms_changes using (${POLICY}) with check (${POLICY});
`;

const NOTE_TERMS = `
  create or replace function note_terms_change() returns trigger language plpgsql as $$
  begin
    insert into terms_changes (tenant_id, customer_id) values (new.tenant_id, new.id)
      on conflict (tenant_id, customer_id) do update set settled_after = null;
    return null;
  end $$;
  create or replace trigger note_terms_change after update of terms_days on customers
    for each row when (old.terms_days is distinct from new.terms_days) execute function note_terms_change();
`;

const NOTE_CLUBS = `
  -- Claims are written with their invoice locked, so two answers about one invoice come one after
  -- the other.
  create or replace function note_club() returns trigger language plpgsql as $$
  begin
    update invoices i set is_with_club = found.is_with_club
    from (select exists (select from claims m where m.tenant_id = new.tenant_id and m.invoice_id = new.invoice_id
                           and m.status in ${WITH_CLUB}) as is_with_club) found
    where i.tenant_id = new.tenant_id and i.id = new.invoice_id and i.is_with_club <> found.is_with_club;
    return null;
  end $$;
  create or replace trigger note_club_of_new after insert on claims
    for each row when (new.status in ${WITH_CLUB}) execute function note_club();
  create or replace trigger note_club after update of status on claims
    for each row when ((old.status in ${WITH_CLUB}) <> (new.status in ${WITH_CLUB})) execute function note_club();
`;

const RECKON_TERMS = `
  create or replace function reckon_own_terms() returns trigger language plpgsql as $$
  begin
    new.own_terms_due_at := new.released_at + interval '24 hours' * (
      select c.terms_days from customers c where c.tenant_id = new.tenant_id and c.id = new.customer_id);
    return new;
  end $$;
  create or replace trigger reckon_own_terms_of_new before insert on invoices
    for each row when (new.status in ${OPEN}) execute function reckon_own_terms();
  create or replace trigger reckon_own_terms before update of status, released_at, customer_id on invoices
    for each row when (new.status in ${OPEN} and (old.status not in ${OPEN}
      or old.released_at is distinct from new.released_at or old.customer_id is distinct from new.customer_id))
    execute function reckon_own_terms();
`;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger note_club on claims;
    drop trigger note_club_of_new on claims;
    drop trigger note_terms_change on customers;
    drop trigger reckon_own_terms on invoices;
    drop trigger reckon_own_terms_of_new on invoices;
    drop function note_club(), note_terms_change(), reckon_own_terms();
    drop table terms_changes;
    alter table invoices drop column own_terms_due_at, drop column is_with_club;
  `);
}
