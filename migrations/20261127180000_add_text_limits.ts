import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Marks the texts that wait while an account keeps quiet hours. Counts the segments that each
 * connection sent on each day of its account, because a setting of the connection limits their
 * price.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages add column respects_quiet_hours boolean not null default false;
    create table text_days (
      tenant_id uuid not null,
      connection_id uuid not null,
      -- In the account's time zone.
      day date not null,
      segments integer not null,
      -- When the account got its notice of the day that the limit is reached.
      noticed_at timestamptz,
      primary key (tenant_id, connection_id, day)
    );
    alter table text_days enable row level security;
    alter table text_days force row level security;
    create policy tenant_isolation on text_days using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table text_days');
  await knex.raw('alter table messages drop column respects_quiet_hours');
}
