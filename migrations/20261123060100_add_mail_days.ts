import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds a table with the number of mails that an account passed to the mail server on each UTC day.
 * The setting MAILS_PER_DAY limits this number.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table mail_days (
      tenant_id uuid not null,
      day date not null,
      mails integer not null,
      primary key (tenant_id, day)
    );
    alter table mail_days enable row level security;
    alter table mail_days force row level security;
    create policy tenant_isolation on mail_days using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table mail_days');
}
