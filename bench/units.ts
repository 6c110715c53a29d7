import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { AGENT_SCOPES } from '../shared/contracts/vocabulary.js';
import { issueKey } from '../test/support/keys.js';
import { insertSignedEndpoint } from '../test/support/webhooks/webhooks.js';
import { readCpuMicroseconds } from './support/cpu.js';
import { fillInvoices, readIds } from './support/fill.js';
import { runLoad } from './support/load/closed-load.js';
import { newInvoiceRequest, readRequest, toolCallRequest } from './support/load/requests.js';
import { createTenant, openBenchDatabase, postToApi, SECRET_KEY, startProduct } from './support/product.js';
import { WebhookReceivers } from './support/receivers.js';
import { print, printMachine } from './support/report.js';
import { startStores, waitFor } from './support/stores.js';

// Measures what one unit of each kind of work costs: CPU time of each process, bytes of WAL and
// stored bytes. docs/scaling.md computes from these figures what a load needs. Needs Redis.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROWS = Number(process.env.BENCH_ROWS ?? 200_000);
const CLIENTS = Number(process.env.BENCH_CLIENTS ?? 64);

interface Reading {
  cpu: Record<string, number>;
  wal: number;
  stored: number;
}

const stores = await startStores({ redis: true });
const db = openBenchDatabase(stores);
const superuser = new pg.Client({ connectionString: `${new URL('/tow', stores.superuserUrl)}` });
await superuser.connect();
const writing = await createTenant(db);
const listening = await createTenant(db);
const reading = await createTenant(db);
const agentKey = await issueKey({ db, config: { secretKey: SECRET_KEY } }, reading.tenantId, {
  kind: 'agent',
  scopes: [...AGENT_SCOPES],
});
const receivers = WebhookReceivers.start();
await listen();
printMachine();
print(`filling ${ROWS} invoices with two line items each`);
await fillInvoices(stores.superuserUrl, reading.tenantId, ROWS);
// Otherwise an autovacuum of these rows would count for whatever is measured then.
await superuser.query('vacuum (freeze, analyze)');
const ids = await readIds(stores.superuserUrl, 5000);
const settings = { NODE_ENV: 'development', WEBHOOK_ALLOW_LOOPBACK: 'true', DEMO: 'false' };
const workers = ['writes', 'webhooks', 'exports'];
const product = await startProduct(stores, 'scaled', { workers, settings });
const agents = await startProduct(stores, 'scaled', { entry: 'dist/mcp/server.js', workers: [], settings });
const [web, ...workerPids] = product.pids as [number, ...number[]];
const pids: Record<string, number> = {
  web,
  mcp: agents.pids[0] as number,
  ...Object.fromEntries(workers.map((name, nth) => [name, workerPids[nth] as number])),
  ...stores.pids,
};

const { origin } = product;
const write = (key: string) => sendLoad(origin, newInvoiceRequest(key), 201);
const nextId = cycle(ids);
const page = readRequest(reading.key, () => '/v1/invoices?limit=50');
const invoice = readRequest(reading.key, () => `/v1/invoices/${nextId()}`);
const call = toolCallRequest(agentKey, 'get_invoice', () => ({ invoice_id: nextId() }));

// Each process compiles its code and plans its queries before anything counts.
await write(writing.key);
await write(listening.key);
for (const request of [page, invoice]) await sendLoad(origin, request, 200);
await sendLoad(agents.origin, call, 200);
await waitForDeliveries();

print(`CPU time in µs for each unit, by process; ${CLIENTS} clients, ${SECONDS} s for each kind`);
await measure('write: an invoice with two lines', () => write(writing.key));
await measure('write with one delivery', async () => {
  const sent = (await receivers.stats()).distinct;
  const count = await write(listening.key);
  await waitFor(async () => (await receivers.stats()).distinct >= sent + count, 300_000);
  await waitForDeliveries();
  return count;
});
await measure('page of 50 invoices', () => sendLoad(origin, page, 200));
await measure('one invoice', () => sendLoad(origin, invoice, 200));
await measure("agent's call get_invoice", () => sendLoad(agents.origin, call, 200));
await measure('row of a CSV export', exportRows);

receivers.stop();
await agents.stop();
await product.stop();
await superuser.end();
await db.close();
await stores.stop();

async function listen(): Promise<void> {
  const key = randomBytes(32).toString('base64');
  const [url] = await receivers.add([key]);
  const store = { db, config: { secretKey: SECRET_KEY } };
  await insertSignedEndpoint(store, listening.tenantId, { url: url as string, secret: `whsec_${key}` });
}

/** Waits until every event has been delivered. */
async function waitForDeliveries(): Promise<void> {
  const query = 'select 1 from webhook_deliveries where next_attempt_at is not null limit 1';
  await waitFor(async () => (await superuser.query(query)).rowCount === 0, 300_000);
}

async function sendLoad(address: string, request: () => string, expect: number): Promise<number> {
  const result = await runLoad({ origin: address, clients: CLIENTS, seconds: SECONDS, request, expect });
  return result.count;
}

async function exportRows(): Promise<number> {
  const { id } = await postToApi(origin, reading.key, '/exports', { resource: 'invoices', format: 'csv' });
  const headers = { authorization: `Bearer ${reading.key}` };
  await waitFor(async () => {
    const response = await fetch(`${origin}/v1/exports/${id}`, { headers });
    const { status } = (await response.json()) as { status: string };
    if (!['queued', 'running', 'completed'].includes(status)) throw new Error(`the export is ${status}`);
    return status === 'completed';
  }, 300_000);
  return ROWS;
}

async function read(): Promise<Reading> {
  const { rows } = await superuser.query<{ wal: string; stored: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal, pg_database_size('tow')::text as stored",
  );
  const cpu = Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, readCpuMicroseconds(pid)]));
  return { cpu, wal: Number(rows[0]?.wal), stored: Number(rows[0]?.stored) };
}

/** Runs work that resolves with its number of units, and prints the cost of one. */
async function measure(unit: string, work: () => Promise<number>): Promise<void> {
  // The first change of a page after a checkpoint writes the whole page, so each kind begins alike.
  await superuser.query('checkpoint');
  const before = await read();
  const count = await work();
  const after = await read();
  const costs = Object.entries(after.cpu)
    .map(([name, used]) => ({ name, used: (used - (before.cpu[name] ?? 0)) / count }))
    .filter(({ used }) => used >= 0.5);
  const sum = costs.reduce((total, { used }) => total + used, 0);
  const parts = costs.map(({ name, used }) => `${name} ${format(used)}`).join(', ');
  print(
    `${unit}: ${format(sum)} µs (${parts}); WAL ${format((after.wal - before.wal) / count)} B, stored ${format((after.stored - before.stored) / count)} B; ${count} units`,
  );
}

function format(value: number): string {
  return value < 10 ? value.toFixed(1) : `${Math.round(value)}`;
}

function cycle(all: string[]): () => string {
  let next = 0;
  return () => {
    next = (next + 1) % all.length;
    return all[next] as string;
  };
}
