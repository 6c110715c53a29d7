import { MIGRATION_HEAD } from '../../migrations/index.js';
import { migrate } from '../../migrations/migrate.js';
import { assertDirectConnection } from '../../shared/platform/postgres-pooler.js';
import { appRoleOf } from '../../shared/platform/postgres-session.js';
import type { RunCommand } from './command.js';
import { isReachableAsApp } from './store.js';

/** `tow migrate`: brings the database to this version and makes the application's role. */
export const migrateDatabase: RunCommand = async (_args, { config, store }) => {
  const { databaseUrl, db } = await store();
  await assertDirectConnection(databaseUrl);
  // The migrations' own driver would print its reason in between; this one throws it.
  await isReachableAsApp(db);
  const applied = await migrate({
    databaseUrl,
    appRole: appRoleOf(databaseUrl),
    withQueue: !config().redisUrl,
  });
  const list = applied.map((name) => `applied ${name}\n`).join('');
  return { data: { applied, head: MIGRATION_HEAD }, text: `${list}The database is at ${MIGRATION_HEAD}.` };
};
