import type { Knex } from 'knex';

/** The beginning of the stored hash of people who cannot sign in until a password is set. */
const UNUSABLE_PASSWORD = 'scrypt$AAAAAAAAAAAAAAAAAAAAAA$';

/**
 * Gives each person a role. Whoever has been in an account for longest, and can sign in, becomes
 * its owner; all others become admins and keep every permission. The default is constant, so no row
 * is rewritten for it. Processes of the previous release ignore the column: whoever they add is an
 * admin.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users add column role text not null default 'admin'
      check (role in ('owner', 'admin', 'dispatcher', 'bookkeeper', 'driver', 'viewer'))
  `);
  // The policy also applies to the owner of the table, so lift it for the update. This locks the
  // table against other sessions until the transaction ends.
  await knex.raw(`
    alter table users no force row level security;
    update users set role = 'owner' from (
      select distinct on (tenant_id) tenant_id, id from users where deactivated_at is null
      order by tenant_id, password_hash like '${UNUSABLE_PASSWORD}%', created_at, id
    ) oldest where users.tenant_id = oldest.tenant_id and users.id = oldest.id;
    alter table users force row level security;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column role');
}
