import type { Knex } from 'knex';

/**
 * When a row was counted among the mails of its day; null: not counted yet. Attempts cannot tell: a
 * worker may die between its attempt and the count. Nullable without a default, so no row is
 * rewritten and the locks last for moments. Processes of the version before leave it null; a row
 * they have counted may count once more, which never passes the bound.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table messages add column counted_at timestamptz');
  await knex.raw('alter table notice_mails add column counted_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table messages drop column counted_at');
  await knex.raw('alter table notice_mails drop column counted_at');
}
