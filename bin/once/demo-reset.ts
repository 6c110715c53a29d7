import { rm } from 'node:fs/promises';
import { migrate } from '../../migrations/migrate.js';
import type { Database, Transaction } from '../../shared/platform/postgres/database.js';
import { getAppRole } from '../../shared/platform/postgres/session.js';
import type { Foundation } from '../../shared/platform/process/run-process.js';
import { CliError, EXIT } from '../cli/exit-codes.js';
import { openStore } from '../cli/store.js';
import { ensureDemo } from '../demo/demo-file.js';
import { getDemoFilePath } from '../demo/demo-file-path.js';
import { DEMO_TENANT_IDS } from '../demo/records/tenants.js';
import { buildPublicAddresses } from '../demo/welcome.js';
import { isDataDirTaken, startEmbeddedServer } from '../embedded-postgres/server-of-process.js';

const NAME = 'demo-reset';
const DEFAULT_PORT = 3000;

/**
 * Deletes all data of the demo's tenants and their sandboxes, then creates the demo again with new
 * credentials. Resolves with the path of the new demo.json.
 * @throws {CliError} `refused` in production. Also `refused` while the product runs, because its
 *   processes would continue to use deleted keys and records
 */
export async function resetDemo(foundation: Foundation): Promise<string> {
  const { config, logger } = foundation;
  if (config.production) throw refused('The demo cannot be reset in production.');
  const databaseUrl = config.databaseUrl ?? (await startServerAlone(foundation));
  await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: !config.redis });
  const db = openStore(foundation, databaseUrl, NAME);
  await removeDemo(db);
  const path = getDemoFilePath(config.dataDir);
  await rm(path, { force: true });
  const addresses = buildPublicAddresses(config, config.port || DEFAULT_PORT);
  await ensureDemo(db, { config, addresses, logger });
  return path;
}

function refused(message: string): CliError {
  return new CliError('refused', message, EXIT.failed);
}

async function startServerAlone(foundation: Foundation): Promise<string> {
  return startEmbeddedServer(foundation).catch((error: unknown) => {
    throw isDataDirTaken(error)
      ? refused(`Another process uses ${foundation.config.dataDir}; stop it first (npm start).`)
      : error;
  });
}

/**
 * Deletes every row of the demo's tenants. The application's role may not delete audit entries and
 * events, so this transaction uses the session's login role, the owner. Row-level security applies
 * to the owner too.
 */
async function removeDemo(db: Database): Promise<void> {
  await db.transaction(DEMO_TENANT_IDS, async (tx) => {
    await tx.query({ text: 'set local role none' });
    // After a load test the demo can have too many rows to delete within the normal timeout.
    await tx.query({ text: "set local statement_timeout = '10min'" });
    await assertNoProcessConnected(tx);
    for (const table of await listTablesChildrenFirst(tx)) {
      await tx.query({
        text: `delete from ${table} where tenant_id = any($1::uuid[])`,
        values: [DEMO_TENANT_IDS],
      });
    }
  });
}

/**
 * Throws if a process of the product is connected. If DATABASE_URL is set, only the open
 * connections show that the product runs.
 */
async function assertNoProcessConnected(tx: Transaction): Promise<void> {
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
  /** Tables that this table refers to. */
  parents: string[];
}

/**
 * Lists every table with a tenant_id, each before the tables that it refers to. Reads the catalog,
 * so that tables of later versions are included.
 */
async function listTablesChildrenFirst(tx: Transaction): Promise<string[]> {
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
      throw new Error(`tables refer to each other in a cycle: ${[...left.keys()].join(', ')}`);
    for (const name of free) left.delete(name);
    ordered.push(...free);
  }
  return ordered;
}
