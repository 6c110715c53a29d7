/** Provides the demo tests with a PostgreSQL server on which each test can create databases. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DEMO_TENANT_IDS } from '../../../bin/demo/records/tenants.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';
import { migrate } from '../../../migrations/migrate.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { resolveClusterDir } from '../../support/load/embedded-postgres-fixture.js';

const logger = createLogger({ level: 'silent', pretty: false, name: 'test' });

export const DEMO_SECRET_KEY = 'a secret of the tests with more than 32 characters';

/** The PostgreSQL server of one describe block, with the databases created on it. */
export class DemoDatabases {
  /** Temporary folder, removed after the describe block. */
  folder = '';
  #server: EmbeddedPostgres | undefined;
  #count = 0;
  readonly #opened: Database[] = [];

  async start(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'tow-demo-test-'));
    this.#server = await startEmbeddedPostgres({ dataDir: join(this.folder, 'data'), logger });
  }

  async stop(): Promise<void> {
    for (const db of this.#opened) await db.close();
    await this.#server?.stop();
    // If root runs the tests, the cluster is outside `folder`.
    await rm(await resolveClusterDir(join(this.folder, 'data')), { recursive: true, force: true });
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Opens a connection pool that uses the application's role. */
  open(databaseUrl: string): Database {
    const db = openDatabase({ databaseUrl, poolSize: 3, applicationName: 'demo test', logger });
    this.#opened.push(db);
    return db;
  }

  async createEmpty(): Promise<{ db: Database; databaseUrl: string }> {
    if (!this.#server) throw new Error('not started');
    this.#count += 1;
    const name = `demo_${this.#count}`;
    const client = new pg.Client({ connectionString: this.#server.superuserUrl });
    await client.connect();
    await client.query(`create database ${name} owner tow`).finally(() => client.end());
    const databaseUrl = this.#server.databaseUrl.replace(/\/tow$/, `/${name}`);
    await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: false });
    return { db: this.open(databaseUrl), databaseUrl };
  }
}

/**
 * Starts a PostgreSQL server before the describe block. Afterwards, stops the server and removes
 * its files.
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
