import { deriveKey } from '../shared/platform/crypto.js';
import { newId } from '../shared/platform/ids.js';
import { mintKey } from '../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../shared/resources/api-keys/handlers.js';
import { fillInvoices, readIds } from './support/fill.js';
import { type LoadResult, runLoad } from './support/load/closed-load.js';
import { readRequest, toolCallRequest } from './support/load/requests.js';
import { createTenant, openBenchDatabase, SECRET_KEY, startProduct } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { hasRedis, startStores } from './support/stores.js';

// Measures how many calls per second the tools get_invoice and list_invoices answer. The baseline
// is REST reads of the same rows, with the same number of clients and the same stores.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROWS = Number(process.env.BENCH_ROWS ?? 200_000);
const CLIENTS = 32;
const BAR = 'at least 0.4, goal 0.7';
const READ_SCOPES = ['read_invoices', 'read_work_orders', 'read_customers', 'read_dispatch', 'read_audit'];

function cycle(ids: string[]): () => string {
  let next = 0;
  return () => {
    next = (next + 1) % ids.length;
    return ids[next] as string;
  };
}

const mode = hasRedis() ? 'scaled' : 'all';
const stores = await startStores({ redis: mode === 'scaled' });
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
const agentKey = await createAgentKey();
printMachine();
print(`filling ${ROWS} invoices with two line items each`);
await fillInvoices(stores.superuserUrl, tenantId, ROWS);
const ids = await readIds(stores.superuserUrl, 5000);
const product = await startProduct(stores, mode);
const agents =
  mode === 'scaled'
    ? await startProduct(stores, mode, { entry: 'dist/mcp/server.js', workers: [] })
    : product;

const pairs = [
  {
    label: 'get_invoice against GET /v1/invoices/{id}',
    ours: toolCallRequest(agentKey, 'get_invoice', toArguments(cycle(ids))),
    rest: readRequest(key, toPath(cycle(ids))),
  },
  {
    label: 'list_invoices of 50 against GET /v1/invoices?limit=50',
    ours: toolCallRequest(agentKey, 'list_invoices', () => ({ limit: 50 })),
    rest: readRequest(key, () => '/v1/invoices?limit=50'),
  },
];
for (const { label, ours, rest } of pairs) {
  const results: { ours: LoadResult[]; rest: LoadResult[] } = { ours: [], rest: [] };
  const load = { clients: CLIENTS, seconds: SECONDS, expect: 200 };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const restRun = await runLoad({ ...load, origin: product.origin, request: rest });
    const ourRun = await runLoad({ ...load, origin: agents.origin, request: ours });
    // The first round is a warm-up for both servers.
    if (round === 0) continue;
    results.rest.push(restRun);
    results.ours.push(ourRun);
  }
  const rates = (runs: LoadResult[]) => runs.map((run) => run.perSecond);
  printRatio(`${mode}: ${label}, ${CLIENTS} clients`, {
    ours: median(rates(results.ours)),
    baseline: median(rates(results.rest)),
    unit: 'req/s',
    bar: BAR,
  });
  const peak = (runs: LoadResult[]) => Math.round(Math.max(...rates(runs)));
  const mean = (runs: LoadResult[]) =>
    Math.round(rates(runs).reduce((sum, one) => sum + one, 0) / runs.length);
  const p99 = (runs: LoadResult[]) => median(runs.map((run) => run.p99)).toFixed(1);
  for (const [side, runs] of [['ours', results.ours] as const, ['REST', results.rest] as const])
    print(`    ${side}: peak ${peak(runs)}, mean ${mean(runs)} req/s, p99 ${p99(runs)} ms`);
}
await db.close();
if (agents !== product) await agents.stop();
await product.stop();
await stores.stop();

function toArguments(next: () => string): () => object {
  return () => ({ invoice_id: next() });
}

function toPath(next: () => string): () => string {
  return () => `/v1/invoices/${next()}`;
}

async function createAgentKey(): Promise<string> {
  const { key: agent, material } = mintKey('agent', 'live', deriveKey(SECRET_KEY, 'credentials'));
  const row = {
    tenant_id: tenantId,
    id: newId(),
    kind: 'agent' as const,
    name: 'bench agent',
    prefix: material.prefix,
    last_four: material.lastFour,
    key_hash: material.hash,
    permissions: [],
    scopes: READ_SCOPES,
    read_only: true,
    tier: null,
    rolled_from: null,
    expires_at: null,
  };
  await db.transaction([tenantId], (tx) => insertApiKeys(tx, [row]));
  return agent;
}
