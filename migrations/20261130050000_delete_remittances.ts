import type { Knex } from 'knex';

/**
 * Adds when a remittance was deleted. Its payer and reference may then be imported again, so a
 * deleted remittance has its id as its identity. A trigger computes the identity, because workers
 * of the previous release insert by this column's unique constraint without naming the column.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table remittances add column deleted_at timestamptz;
    alter table remittances alter column identity drop expression;
    create function identify_remittance() returns trigger language plpgsql as $fn$
    begin
      new.identity := case when new.deleted_at is null then lower(new.payer) || chr(10) || lower(new.reference) else new.id::text end;
      return new;
    end $fn$;
    create trigger identify before insert or update of deleted_at on remittances
      for each row execute function identify_remittance();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table remittances no force row level security;
    delete from remittances where deleted_at is not null;
    alter table remittances force row level security;
    drop trigger identify on remittances;
    drop function identify_remittance();
    alter table remittances drop column identity, drop column deleted_at;
    alter table remittances add column identity text not null generated always as (lower(payer) || chr(10) || lower(reference)) stored;
    alter table remittances add constraint remittances_tenant_id_identity_key unique (tenant_id, identity);
  `);
}
