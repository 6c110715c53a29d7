import type { Logger } from '../../shared/platform/logger.js';
import type { Database, Transaction } from '../../shared/platform/postgres/database.js';
import { createTenantPair } from '../../shared/resources/tenants/create-tenant.js';
import { type DemoCredentials, issueDemoCredentials, revokeDemoKeys } from './credentials.js';
import { insertDemoRecords } from './insert-records.js';
import { insertDemoLetterheads } from './letterheads.js';
import { insertDemoMessages } from './messages.js';
import { insertDemoPeople } from './people.js';
import { makeDemoRecords } from './records/records.js';
import { DEMO_PROFILES, DEMO_TENANT_IDS } from './records/tenants.js';

export interface SeedOptions {
  secretKey: string;
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Base URL of the links in the demo's messages; default: this machine. */
  publicUrl?: string;
  /** The end of the 90 days that the demo's records cover; default: now. */
  now?: Date;
}

const LOCAL_URL = 'http://127.0.0.1:3000';

/** An agent's draft of $1000.00 or more waits for a person (docs/decisions.md §7). */
const APPROVAL_THRESHOLD_CENTS = 100_000;

/** An arbitrary number for the advisory lock, used only here. */
const DEMO_LOCK_KEY = 7_366_001;
/**
 * The time that a process waits while another process seeds. The session's default timeouts are
 * shorter, so `withDemoLock` replaces them.
 */
const LOCK_WAIT_MS = 30_000;

/**
 * Runs `work` in a transaction with an advisory lock, so that processes run `work` one after
 * another. Each process sees what earlier processes committed. Rejects if the lock is not free
 * within 30 s.
 */
export function withDemoLock<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(DEMO_TENANT_IDS, async (tx) => {
    await tx.query({
      text: "select set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true)",
      values: [String(LOCK_WAIT_MS)],
    });
    await tx.query({ text: 'select pg_advisory_xact_lock($1)', values: [DEMO_LOCK_KEY] });
    return work(tx);
  });
}

/**
 * True if the database has the demo. One transaction makes all of its tenants, so if one tenant
 * exists, all of them do.
 */
export async function hasDemo(tx: Transaction): Promise<boolean> {
  const rows = await tx.query({
    text: 'select from tenants where tenant_id = any($1::uuid[]) limit 1',
    values: [DEMO_TENANT_IDS],
  });
  return rows.length > 0;
}

/** Makes tenants, records and credentials. Call it within {@link withDemoLock}. */
export async function seedUnderLock(tx: Transaction, options: SeedOptions): Promise<DemoCredentials[]> {
  const startedAt = performance.now();
  const records = makeDemoRecords(options.now ?? new Date());
  for (const { pair, name, timeZone, taxRateBps } of DEMO_PROFILES) {
    await createTenantPair(tx, pair, {
      name,
      timeZone,
      taxRateBps,
      agentGateCents: APPROVAL_THRESHOLD_CENTS,
    });
  }
  await insertDemoLetterheads(tx);
  await insertDemoRecords(tx, records);
  const { secretKey, publicUrl = LOCAL_URL } = options;
  const invoices = records.flatMap((part) => part.invoices);
  await insertDemoMessages(tx, invoices, { secretKey, publicUrl });
  const durationMs = Math.round(performance.now() - startedAt);
  const tenants = await issueDemoCredentials(tx, options.secretKey);
  await insertDemoPeople(tx);
  const rowCount = records
    .flatMap((part) => Object.values(part))
    .reduce((sum, { length }) => sum + length, 0);
  options.logger.info({ accounts: records.length, rows: rowCount, ms: durationMs }, 'demo seeded');
  return tenants;
}

/** Replaces the demo's keys and passwords. Call it within {@link withDemoLock}. */
export async function renewCredentialsUnderLock(
  tx: Transaction,
  options: SeedOptions,
): Promise<DemoCredentials[]> {
  await revokeDemoKeys(tx);
  const tenants = await issueDemoCredentials(tx, options.secretKey);
  options.logger.info({ tenants: tenants.length }, 'demo credentials renewed');
  return tenants;
}

/**
 * Creates the demo. Resolves with the only clear-text copy of the credentials, or with undefined if
 * the demo already exists.
 */
export function seedDemo(db: Database, options: SeedOptions): Promise<DemoCredentials[] | undefined> {
  return withDemoLock(db, async (tx) => ((await hasDemo(tx)) ? undefined : seedUnderLock(tx, options)));
}

/**
 * Replaces the demo's keys and passwords, for a database whose demo.json is lost.
 * @throws {Error} if this database has no demo
 */
export function renewDemoCredentials(db: Database, options: SeedOptions): Promise<DemoCredentials[]> {
  return withDemoLock(db, async (tx) => {
    if (!(await hasDemo(tx))) throw new Error('this database has no demo');
    return renewCredentialsUnderLock(tx, options);
  });
}
