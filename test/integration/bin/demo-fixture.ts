/** Creates databases without demo data for the demo tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_TENANT_IDS } from '../../../bin/demo/records/tenants.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { createDatabase } from '../../support/stores.js';

const logger = createLogger({ level: 'silent', pretty: false, name: 'test' });

export const DEMO_SECRET_KEY = 'a secret of the tests with more than 32 characters';

/** The databases and the temporary folder of one describe block. */
export class DemoDatabases {
  /** A temporary folder, removed after the describe block. */
  folder = '';
  readonly #opened: Database[] = [];

  async start(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'tow-demo-test-'));
  }

  async stop(): Promise<void> {
    for (const db of this.#opened) await db.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Opens a connection pool that uses the application's role. */
  open(databaseUrl: string): Database {
    const db = openDatabase({ databaseUrl, poolSize: 3, applicationName: 'demo test', logger });
    this.#opened.push(db);
    return db;
  }

  async createEmpty(): Promise<{ db: Database; databaseUrl: string }> {
    const databaseUrl = await createDatabase();
    return { db: this.open(databaseUrl), databaseUrl };
  }
}

/**
 * Provides the databases of one describe block. Closes them after the block, and removes the
 * temporary folder.
 */
export function useDemoDatabases(): DemoDatabases {
  const databases = new DemoDatabases();
  before(() => databases.start());
  after(() => databases.stop());
  return databases;
}

/** Runs a query as `tenants`, by default all demo tenants, and returns the rows visible to them. */
export function queryDemoRows<R>(
  db: Database,
  text: string,
  tenants: readonly string[] = DEMO_TENANT_IDS,
): Promise<R[]> {
  return db.transaction(tenants, (tx) => tx.query<R>({ text }));
}

/** Returns all demo rows of a table as one JSON text, for comparison. */
export async function readTableAsText(db: Database, table: string): Promise<string> {
  const text = `select jsonb_agg(t order by to_jsonb(t)::text)::text as all from ${table} t`;
  const [row] = await queryDemoRows<{ all: string }>(db, text);
  return row?.all ?? '';
}
