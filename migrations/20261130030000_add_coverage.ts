import type { Knex } from 'knex';

/** Adds what a customer, such as a motor club, pays for a work order. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table customers add column coverage jsonb, add column coverage_changed_at timestamptz;
    -- The detectors look at the customer's invoices again, but not after every change of a phone number.
    create or replace function mark_changed_coverage() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then
        if new.coverage is not null then new.coverage_changed_at := now(); end if;
      elsif new.coverage is distinct from old.coverage
        or (new.coverage is not null and new.rate_card_id is distinct from old.rate_card_id) then
        new.coverage_changed_at := now();
      end if;
      return new;
    end $$;
    create trigger mark_changed_coverage before insert or update of coverage, rate_card_id on customers
      for each row execute function mark_changed_coverage();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger mark_changed_coverage on customers;
    drop function mark_changed_coverage();
    alter table customers drop column coverage_changed_at, drop column coverage;
  `);
}
