import type { Knex } from 'knex';

/** The row-level security policy of every table. The migration isolate_tenants explains it. */
const POLICY = `(tenant_id = any ((select string_to_array(current_setting('app.tenant_ids', true), ',')::uuid[])::uuid[])) is true`;

/**
 * Adds the table of accounts that this deployment may not write, because they move to another
 * deployment. It has no foreign key: the row stays after the account's rows are deleted, so that
 * nothing writes the account again. It has no further policy, because processes of earlier versions
 * refuse to start on a database with a policy that they do not know.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table frozen_accounts (
      tenant_id uuid primary key,
      frozen_at timestamptz not null default now(),
      -- Set when the account was dumped. Its other copy may then be in use.
      dumped_at timestamptz
    );
    alter table frozen_accounts enable row level security;
    alter table frozen_accounts force row level security;
    create policy tenant_isolation on frozen_accounts using (${POLICY}) with check (${POLICY});
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table frozen_accounts');
}
