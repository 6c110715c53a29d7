import { MIGRATION_HEAD } from '../../migrations/index.js';
import { migrate } from '../../migrations/migrate.js';
import { assertDirectConnection } from '../../shared/platform/postgres/pooler.js';
import { getAppRole } from '../../shared/platform/postgres/session.js';
import type { RunCommand } from '../cli/command.js';
import { isReachableAsApp } from '../cli/store.js';

/** `tow migrate`: migrates the database to this version and creates the application's role. */
export const migrateDatabase: RunCommand = async (_args, { config, store }) => {
  const { databaseUrl, db } = await store();
  await assertDirectConnection(databaseUrl);
  // First connect with the application's driver. If PostgreSQL cannot be reached, this driver
  // throws the reason. The migrations' driver would only print the reason.
  await isReachableAsApp(db);
  const applied = await migrate({
    databaseUrl,
    appRole: getAppRole(databaseUrl),
    withQueue: !config().redis,
  });
  const list = applied.map((name) => `applied ${name}\n`).join('');
  return { data: { applied, head: MIGRATION_HEAD }, text: `${list}The database is at ${MIGRATION_HEAD}.` };
};
