import type { Logger } from '../platform/logger.js';
import type { Database, Transaction } from '../platform/postgres.js';
import { createTenantPair } from '../resources/tenants/create-tenant.js';
import { type DemoTenant, issueDemoCredentials, revokeDemoKeys } from './demo-credentials.js';
import { insertDemoLetterheads } from './demo-letterheads.js';
import { insertDemoMessages } from './demo-messages.js';
import { insertDemoPeople } from './demo-people.js';
import { makeDemoRecords } from './demo-records.js';
import { DEMO_PROFILES, DEMO_TENANT_IDS } from './demo-tenants.js';
import { insertDemoRecords } from './insert-demo-records.js';

export interface SeedOptions {
  /** The deployment's SECRET_KEY. */
  secretKey: string;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Where the links in its messages lead; default: this machine. */
  publicUrl?: string;
  /** The moment that the demo's 90 days end with; default: now. */
  now?: Date;
}

const LOCAL_URL = 'http://127.0.0.1:3000';

/** Agents' drafts from $1000.00 on wait for a person (decisions 7): a demo shows the gate. */
const GATE_CENTS = 100_000;

/** Any number that nobody else takes: the advisory lock under which the demo is made or changed. */
const LOCK = 7_366_001;
/** How long a process waits for another one that seeds, in ms; the session's own limits are shorter. */
const LOCK_WAIT_MS = 30_000;

/**
 * Runs `work` in a transaction of the demo's tenants, one process of a database at a time: whoever comes second sees what the first one
 * committed. Rejects when the lock is not free within 30 s.
 */
export function withDemoLock<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(DEMO_TENANT_IDS, async (tx) => {
    await tx.query({
      text: "select set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true)",
      values: [String(LOCK_WAIT_MS)],
    });
    await tx.query({ text: 'select pg_advisory_xact_lock($1)', values: [LOCK] });
    return work(tx);
  });
}

/** Whether the demo's tenants are there. They are made in one transaction, so one of them stands for all. */
export async function hasDemo(tx: Transaction): Promise<boolean> {
  const rows = await tx.query({
    text: 'select from tenants where tenant_id = any($1::uuid[]) limit 1',
    values: [DEMO_TENANT_IDS],
  });
  return rows.length > 0;
}

/** Makes tenants, records and credentials within {@link withDemoLock}. */
export async function seedUnderLock(tx: Transaction, options: SeedOptions): Promise<DemoTenant[]> {
  const startedAt = performance.now();
  const records = makeDemoRecords(options.now ?? new Date());
  for (const { pair, name, timeZone, taxRateBps } of DEMO_PROFILES) {
    await createTenantPair(tx, pair, { name, timeZone, taxRateBps, agentGateCents: GATE_CENTS });
  }
  await insertDemoLetterheads(tx);
  await insertDemoRecords(tx, records);
  const { secretKey, publicUrl = LOCAL_URL } = options;
  await insertDemoMessages(tx, records.invoices, { secretKey, publicUrl });
  const ms = Math.round(performance.now() - startedAt);
  const tenants = await issueDemoCredentials(tx, options.secretKey);
  await insertDemoPeople(tx);
  const { customers, workOrders, invoices } = records;
  options.logger.info(
    { customers: customers.length, workOrders: workOrders.length, invoices: invoices.length, ms },
    'demo seeded',
  );
  return tenants;
}

/** Replaces keys and passwords within {@link withDemoLock}. */
export async function renewUnderLock(tx: Transaction, options: SeedOptions): Promise<DemoTenant[]> {
  await revokeDemoKeys(tx);
  const tenants = await issueDemoCredentials(tx, options.secretKey);
  options.logger.info({ tenants: tenants.length }, 'demo credentials renewed');
  return tenants;
}

/**
 * Makes the demo's tenants with their records and credentials, as the application's role. Resolves with the credentials, whose only copy this
 * is; undefined when the demo is there already, whoever made it.
 */
export function seedDemo(db: Database, options: SeedOptions): Promise<DemoTenant[] | undefined> {
  return withDemoLock(db, async (tx) => ((await hasDemo(tx)) ? undefined : seedUnderLock(tx, options)));
}

/**
 * Makes new keys and passwords for the demo and ends its earlier keys; for a database whose demo.json is gone.
 * @throws {Error} when there is no demo in this database
 */
export function renewDemoCredentials(db: Database, options: SeedOptions): Promise<DemoTenant[]> {
  return withDemoLock(db, async (tx) => {
    if (!(await hasDemo(tx))) throw new Error('there is no demo in this database');
    return renewUnderLock(tx, options);
  });
}
