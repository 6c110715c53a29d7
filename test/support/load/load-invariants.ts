/** Checks after fault injection that the stores agree with the responses that clients got. */
import { expect } from 'chai';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { eventually } from '../poll.js';
import { type DeployedService, runTotals } from './deployed-service.js';
import type { Deployment } from './deployment.js';
import type { Load, LoadCall } from './load.js';

/** The approximate number of acknowledged calls that are sent again after the load, as a sample. */
const REPLAYED = 25;

/** What the comparison reads of an invoice. */
export interface StoredInvoice {
  tenant_id: string;
  id: string;
  invoice_number: string;
  total_cents: number;
}

interface Count {
  id: string;
  count: number;
}

/**
 * Ends the load, waits until no work is left, and asserts that the database holds exactly the
 * acknowledged invoices. Each has the content that the client sent, and exactly one line item,
 * audit entry, event and stored response.
 */
export async function expectNothingLost(deployment: Deployment, load: Load): Promise<void> {
  await load.stop();
  const { calls } = load;
  const unfinished = calls
    .filter(({ outcome }) => outcome !== 'ok')
    .map(({ outcome, attempts }) => ({ outcome, attempts }));
  expect(unfinished, 'calls that did not succeed').to.deep.equal([]);
  const hanging = load.unanswered.filter((entry) => entry.includes('TimeoutError'));
  expect(hanging, 'requests that were left hanging').to.deep.equal([]);
  expect(load.deviations, 'responses that deviate from openapi.json').to.deep.equal([]);
  const db = await deployment.db();
  const tenants = [...new Set(calls.map(({ tenant }) => tenant.id))];
  await eventually(
    'no operation to be pending',
    async () => (await db.transaction(tenants, countPending)) === 0,
    60_000,
  );
  await eventually('the queue to be empty', () => isQueueEmpty(deployment.writer), 60_000);
  // The metric that operators watch must also show that no operation is pending.
  await eventually('the clock to count no pending operation', () => countsNonePending(deployment));
  const stored = await db.transaction(tenants, readInvoices);
  expectSameContent(calls, stored);
  const ids = stored.map(({ id }) => id).sort();
  for (const [label, text] of Object.entries(ONE_PER_INVOICE)) {
    const counts = await db.transaction(tenants, (tx) => tx.query<Count>({ text }));
    expect(
      counts.filter(({ count }) => count !== 1),
      `more than one ${label}`,
    ).to.deep.equal([]);
    expect(counts.map(({ id }) => id).sort(), `${label} of each invoice`).to.deep.equal(ids);
  }
  expectSameKeys(calls, await db.transaction(tenants, readKeys));
  await expectSameReplays(load);
  const suspected = await db.transaction(tenants, (tx) =>
    tx.query({ text: 'select * from command_attempts where attempts > 0 or parked_at is not null' }),
  );
  expect(suspected, 'commands still suspected of killing their worker').to.deep.equal([]);
  runTotals.acknowledged += calls.length;
  runTotals.retried += calls.filter(({ attempts }) => attempts.length > 1).length;
}

function expectSameContent(calls: LoadCall[], stored: StoredInvoice[]): void {
  expect(compareWrites(calls, stored), 'stored invoices against acknowledged ones').to.deep.equal({
    lost: [],
    doubled: [],
  });
  const sum = (cents: number[]) => cents.reduce((total, one) => total + one, 0);
  expect(sum(stored.map(({ total_cents }) => total_cents))).to.equal(
    sum(calls.map(({ totalCents }) => totalCents)),
  );
}

/** How the stored invoices differ from the acknowledged ones. */
export interface WriteDifferences {
  /** Acknowledged invoices that are not stored with the content that the client sent. */
  lost: Partial<StoredInvoice>[];
  /** Stored invoices that no client got as the result of a call. */
  doubled: StoredInvoice[];
}

/** Compares all invoices of some tenants with the calls to which clients got an invoice. */
export function compareWrites(
  calls: readonly Pick<LoadCall, 'tenant' | 'id' | 'body' | 'totalCents'>[],
  stored: readonly StoredInvoice[],
): WriteDifferences {
  const left = new Map<string, number>();
  const change = (text: string, by: number) => left.set(text, (left.get(text) ?? 0) + by);
  const acknowledged = calls.map((call) => ({
    tenant_id: call.tenant.id,
    id: call.id ?? '',
    invoice_number: call.body.invoice_number,
    total_cents: call.totalCents,
  }));
  const toText = ({ tenant_id, id, invoice_number, total_cents }: StoredInvoice) =>
    JSON.stringify([tenant_id, id, invoice_number, total_cents]);
  for (const invoice of stored) change(toText(invoice), 1);
  const lost = acknowledged.filter((invoice) => {
    const text = toText(invoice);
    change(text, -1);
    return (left.get(text) ?? 0) < 0;
  });
  const doubled = stored.filter((invoice) => {
    const text = toText(invoice);
    if ((left.get(text) ?? 0) <= 0) return false;
    change(text, -1);
    return true;
  });
  return { lost, doubled };
}

/** Compares the acknowledged calls of a load with all invoices of its tenants. */
export async function findDifferences(deployment: Deployment, calls: LoadCall[]): Promise<WriteDifferences> {
  const db = await deployment.db();
  const tenants = [...new Set(calls.map(({ tenant }) => tenant.id))];
  const acknowledged = calls.filter(({ outcome }) => outcome === 'ok');
  return compareWrites(acknowledged, await db.transaction(tenants, readInvoices));
}

function readInvoices(tx: Transaction): Promise<StoredInvoice[]> {
  return tx.query<StoredInvoice>({ text: 'select tenant_id, id, invoice_number, total_cents from invoices' });
}

/** The queries that count one kind of record per invoice. Each count must be 1. */
const ONE_PER_INVOICE = {
  'line item': 'select invoice_id as id, count(*)::int as count from invoice_line_items group by 1',
  'audit entry': `select entity_id as id, count(*)::int as count from audit_entries
                  where action = 'invoice.created' and outcome = 'ok' group by 1`,
  event: `select body::jsonb #>> '{data,object,id}' as id, count(*)::int as count from events where type = 'invoice.created' group by 1`,
  'stored response':
    "select body::jsonb ->> 'id' as id, count(*)::int as count from idempotency_keys group by 1",
};

export async function countInvoices(deployment: Deployment): Promise<number> {
  const db = await deployment.db();
  return (await db.transaction(await db.listTenantIds(), readInvoices)).length;
}

interface StoredKey {
  key: string;
  id: string;
}

function readKeys(tx: Transaction): Promise<StoredKey[]> {
  return tx.query<StoredKey>({ text: "select key, body::jsonb ->> 'id' as id from idempotency_keys" });
}

function expectSameKeys(calls: LoadCall[], storedKeys: StoredKey[]): void {
  const idOf = new Map(storedKeys.map(({ key, id }) => [key, id]));
  const wrong = calls.filter(({ key, id }) => idOf.get(key) !== id);
  expect(wrong, 'calls whose key leads to another invoice').to.deep.equal([]);
}

/**
 * Sends a sample of the acknowledged calls again. Asserts that each response is byte for byte the
 * first response to that call.
 */
async function expectSameReplays(load: Load): Promise<void> {
  const step = Math.max(1, Math.floor(load.calls.length / REPLAYED));
  for (const call of load.calls.filter((_, nth) => nth % step === 0)) {
    const reply = await load.resend(call);
    expect([reply?.status, reply?.body.id], reply?.text).to.deep.equal([201, call.id]);
    if (call.text !== undefined) expect(reply?.text).to.equal(call.text);
  }
}

/**
 * Counts stored operations without an outcome, including writes that are parked because they kill
 * their worker. An operation has an outcome if its command ran, or if a retry with the same key
 * ran.
 */
export async function countPending(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    text: `select count(*)::int as count from operations o
           where not exists (select from audit_entries a where a.tenant_id = o.tenant_id and a.id = o.id)
             and not exists (select from idempotency_keys k where k.tenant_id = o.tenant_id
                             and k.key = (o.command #>> '{idempotency,key}')::uuid)`,
  });
  return row?.count ?? -1;
}

async function countsNonePending({ clock, web }: Deployment): Promise<boolean> {
  return (await fetchMetrics((clock ?? web).origin)).get('tow_operations_pending') === 0;
}

/** Returns whether the service's own metrics show that the writes queue has no job in any state. */
async function isQueueEmpty({ origin }: DeployedService): Promise<boolean> {
  const samples = await fetchMetrics(origin);
  const states = ['waiting', 'active', 'delayed', 'failed'];
  return states.every((state) => samples.get(`tow_queue_jobs{queue="writes",state="${state}"}`) === 0);
}

/**
 * Returns a service's metrics. The keys contain the labels, such as
 * `tow_queue_jobs{queue="writes",state="failed"}`.
 */
export async function fetchMetrics(origin: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${origin}/metrics`, { signal: AbortSignal.timeout(5000) })).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), Number(line.slice(end + 1))];
      }),
  );
}
