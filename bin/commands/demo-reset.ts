import { rm } from 'node:fs/promises';
import { migrate } from '../../migrations/migrate.js';
import { demoFilePath, ensureDemo } from '../../shared/demo/demo-file.js';
import { DEMO_TENANT_IDS } from '../../shared/demo/demo-tenants.js';
import type { Database, Transaction } from '../../shared/platform/postgres.js';
import { appRoleOf } from '../../shared/platform/postgres-session.js';
import type { Foundation } from '../../shared/platform/run-process.js';
import { publicAddresses } from '../welcome.js';
import { CliError, EXIT } from './exit-codes.js';
import { isDataDirTaken, openStore, startServer } from './store.js';

const NAME = 'demo-reset';
const DEFAULT_PORT = 3000;

/**
 * Removes everything of the demo's tenants and their twins, then makes the demo afresh with new credentials. Other tenants are not touched.
 * Resolves with the path of the new demo.json.
 * @throws {CliError} `refused` in production, and while the product runs: it would go on with keys and records that are gone
 */
export async function resetDemo(foundation: Foundation): Promise<string> {
  const { config, logger } = foundation;
  if (config.production) throw refused('The demo is not reset in production.');
  const databaseUrl = config.databaseUrl ?? (await startServerAlone(foundation));
  await migrate({ databaseUrl, appRole: appRoleOf(databaseUrl), withQueue: !config.redisUrl });
  const db = openStore(foundation, databaseUrl, NAME);
  await removeDemo(db);
  const path = demoFilePath(config.dataDir);
  await rm(path, { force: true });
  const addresses = publicAddresses(config, config.port || DEFAULT_PORT);
  await ensureDemo(db, { config, addresses, logger });
  return path;
}

function refused(message: string): CliError {
  return new CliError('refused', message, EXIT.failed);
}

async function startServerAlone(foundation: Foundation): Promise<string> {
  return startServer(foundation).catch((error: unknown) => {
    throw isDataDirTaken(error)
      ? refused(`The product runs in ${foundation.config.dataDir}; stop it first (npm start).`)
      : error;
  });
}

/**
 * Deletes the demo's rows from every table of tenants, children before parents. The application's role may not delete audit entries and events,
 * so the session goes back to its login role, the owner, for this transaction; row-level security binds that one too.
 */
async function removeDemo(db: Database): Promise<void> {
  await db.transaction(DEMO_TENANT_IDS, async (tx) => {
    await tx.query({ text: 'set local role none' });
    // Whoever tried out the product with load has more rows than an ordinary statement may take.
    await tx.query({ text: "set local statement_timeout = '10min'" });
    await requireNobodyConnected(tx);
    for (const table of await tablesChildrenFirst(tx)) {
      await tx.query({
        text: `delete from ${table} where tenant_id = any($1::uuid[])`,
        values: [DEMO_TENANT_IDS],
      });
    }
  });
}

/** With a DATABASE_URL nothing in DATA_DIR tells of a running process; its connections do. */
async function requireNobodyConnected(tx: Transaction): Promise<void> {
  const rows = await tx.query<{ application_name: string }>({
    text: `select distinct application_name from pg_stat_activity
           where datname = current_database() and application_name like 'tow-%' and application_name <> $1`,
    values: [`tow-${NAME}`],
  });
  if (rows.length === 0) return;
  const names = rows.map((row) => row.application_name).join(', ');
  throw refused(`Processes of the product are connected to this database (${names}); stop them first.`);
}

interface TableRow {
  name: string;
  /** Tables that this one refers to. */
  parents: string[];
}

/** Every table with a tenant_id, also those that later versions add, in an order in which no row is deleted that another one needs. */
async function tablesChildrenFirst(tx: Transaction): Promise<string[]> {
  const rows = await tx.query<TableRow>({
    text: `select quote_ident(c.relname) as name,
                  array(select distinct quote_ident(p.relname) from pg_constraint f join pg_class p on p.oid = f.confrelid
                        where f.contype = 'f' and f.conrelid = c.oid and f.confrelid <> c.oid) as parents
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
           join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
           where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
  });
  const ordered: string[] = [];
  const left = new Map(rows.map((row) => [row.name, row]));
  while (left.size > 0) {
    const needed = new Set([...left.values()].flatMap((row) => row.parents));
    const free = [...left.keys()].filter((name) => !needed.has(name));
    if (free.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...left.keys()].join(', ')}`);
    for (const name of free) left.delete(name);
    ordered.push(...free);
  }
  return ordered;
}
