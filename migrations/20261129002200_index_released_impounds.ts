import type { Knex } from 'knex';

export const config = { transaction: false };

/** Finds the impounds that were released since the detectors last looked. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'create index concurrently if not exists impounds_released on impounds (tenant_id, updated_at) where released_at is not null',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index concurrently if exists impounds_released');
}
