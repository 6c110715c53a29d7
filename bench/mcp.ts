import { deriveKey } from '../shared/platform/crypto.js';
import { newId } from '../shared/platform/ids.js';
import { mintKey } from '../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../shared/resources/api-keys/handlers.js';
import { fillInvoices, readIds } from './support/fill.js';
import { type LoadResult, runLoad } from './support/load.js';
import { createTenant, openBenchDatabase, SECRET_KEY, startProduct } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { hasRedis, startStores } from './support/stores.js';

// tools/call get_invoice and list_invoices beside the REST reads of the same rows, with the same clients on the same stores.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROWS = Number(process.env.BENCH_ROWS ?? 200_000);
const CLIENTS = 32;
const BAR = 'at least 0.4, goal 0.7';
const READING = ['read_invoices', 'read_work_orders', 'read_customers', 'read_dispatch', 'read_audit'];

function cycle(ids: string[]): () => string {
  let next = 0;
  return () => {
    next = (next + 1) % ids.length;
    return ids[next] as string;
  };
}

function get(key: string, path: () => string): () => string {
  return () => `GET ${path()} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** As the official client sends it. */
function call(key: string, name: string, args: () => object): () => string {
  let id = 0;
  return () => {
    id += 1;
    const body = JSON.stringify({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: args() },
    });
    return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
}

const way = hasRedis() ? 'scaled' : 'all';
const stores = await startStores({ redis: way === 'scaled' });
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
const agentKey = await createAgentKey();
printMachine();
print(`filling ${ROWS} invoices with two lines each`);
await fillInvoices(stores.superuserUrl, tenantId, ROWS);
const ids = await readIds(stores.superuserUrl, 5000);
const product = await startProduct(stores, way);
const agents =
  way === 'scaled' ? await startProduct(stores, way, { entry: 'dist/mcp/server.js', workers: [] }) : product;

const pairs = [
  {
    what: 'get_invoice against GET /v1/invoices/{id}',
    ours: call(agentKey, 'get_invoice', argumentsOf(cycle(ids))),
    rest: get(key, pathOf(cycle(ids))),
  },
  {
    what: 'list_invoices of 50 against GET /v1/invoices?limit=50',
    ours: call(agentKey, 'list_invoices', () => ({ limit: 50 })),
    rest: get(key, () => '/v1/invoices?limit=50'),
  },
];
for (const { what, ours, rest } of pairs) {
  const results: { ours: LoadResult[]; rest: LoadResult[] } = { ours: [], rest: [] };
  const load = { clients: CLIENTS, seconds: SECONDS, expect: 200 };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const restRun = await runLoad({ ...load, origin: product.origin, request: rest });
    const ourRun = await runLoad({ ...load, origin: agents.origin, request: ours });
    // The first round warms both up.
    if (round === 0) continue;
    results.rest.push(restRun);
    results.ours.push(ourRun);
  }
  const rates = (runs: LoadResult[]) => runs.map((run) => run.perSecond);
  printRatio(`${way}: ${what}, ${CLIENTS} clients`, {
    ours: median(rates(results.ours)),
    baseline: median(rates(results.rest)),
    unit: 'req/s',
    bar: BAR,
  });
  const peak = (runs: LoadResult[]) => Math.round(Math.max(...rates(runs)));
  const mean = (runs: LoadResult[]) =>
    Math.round(rates(runs).reduce((sum, one) => sum + one, 0) / runs.length);
  const p99 = (runs: LoadResult[]) => median(runs.map((run) => run.p99)).toFixed(1);
  for (const [who, runs] of [['ours', results.ours] as const, ['REST', results.rest] as const])
    print(`    ${who}: peak ${peak(runs)}, mean ${mean(runs)} req/s, p99 ${p99(runs)} ms`);
}
await db.close();
if (agents !== product) await agents.stop();
await product.stop();
await stores.stop();

function argumentsOf(next: () => string): () => object {
  return () => ({ invoice_id: next() });
}

function pathOf(next: () => string): () => string {
  return () => `/v1/invoices/${next()}`;
}

async function createAgentKey(): Promise<string> {
  const { key: agent, material } = mintKey('agent', 'live', deriveKey(SECRET_KEY, 'credentials'));
  const row = {
    ...{ tenant_id: tenantId, id: newId(), kind: 'agent' as const, name: 'bench agent' },
    ...{ prefix: material.prefix, last_four: material.lastFour, key_hash: material.hash },
    ...{ permissions: [], scopes: READING, read_only: true, tier: null, rolled_from: null, expires_at: null },
  };
  await db.transaction([tenantId], (tx) => insertApiKeys(tx, [row]));
  return agent;
}
