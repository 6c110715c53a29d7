import type { Knex } from 'knex';

/** Adds what people need to recognize their sessions, and when a factor was last proved in them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table sessions
      add column user_agent text,
      add column network text,
      add column last_used_at timestamptz,
      add column factor_proved_at timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table sessions drop column user_agent, drop column network, drop column last_used_at, drop column factor_proved_at',
  );
}
