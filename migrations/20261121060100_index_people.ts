import type { Knex } from 'knex';

/** Runs without a transaction, because `create index concurrently` cannot run in one. */
export const config = { transaction: false };

/**
 * Indexes users by e-mail address for sign-in, and by creation time for their list. Makes the
 * address unique among the active users of a tenant.
 */
export async function up(knex: Knex): Promise<void> {
  // This index does not begin with tenant_id, because a person who signs in enters no tenant. It is
  // not unique, because a conflict would reveal users of another tenant.
  await knex.raw('drop index concurrently if exists users_sign_in');
  await knex.raw(
    'create index concurrently users_sign_in on users (lower(email)) where deactivated_at is null',
  );
  await knex.raw('drop index concurrently if exists users_created');
  await knex.raw('create index concurrently users_created on users (tenant_id, created_at desc, id desc)');
  await knex.raw('drop index concurrently if exists users_active_email');
  await knex.raw(`create unique index concurrently users_active_email on users (tenant_id, lower(email))
                  where deactivated_at is null`);
  await knex.raw('drop index concurrently if exists users_email');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('create unique index users_email on users (tenant_id, lower(email))');
  await knex.raw('drop index users_active_email');
  await knex.raw('drop index users_created');
  await knex.raw('drop index users_sign_in');
}
