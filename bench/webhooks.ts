import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { newId } from '../shared/platform/ids.js';
import type { Database } from '../shared/platform/postgres/database.js';
import { insertSignedEndpoint } from '../test/support/webhooks/webhooks.js';
import { runPacedLoad } from './support/load/paced-load.js';
import { newInvoiceRequest } from './support/load/requests.js';
import {
  createTenant,
  type DeploymentMode,
  listDeploymentModes,
  openBenchDatabase,
  type Product,
  SECRET_KEY,
  startWebhookProduct,
} from './support/product.js';
import { WebhookReceivers } from './support/receivers.js';
import { describeRatio, median, percentile, print, printMachine, printRatio } from './support/report.js';
import { type BenchStores, startStores, waitFor } from './support/stores.js';

// Compares the product's deliveries per second with those of a bare undici loop. Then measures the
// delay from event to receiver at 200 deliveries per second, and again while another tenant's
// endpoints hang.
const TENANTS = 50;
const ENDPOINTS_EACH = 2;
const DELIVERIES = Number(process.env.BENCH_DELIVERIES ?? 40_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);
const DELIVERIES_PER_SECOND = 200;
const HANGING_ENDPOINTS = 100;
const PENDING_DELIVERIES = Number(process.env.BENCH_PENDING ?? 100_000);
const REQUESTS_PER_ENDPOINT = 4;

interface BenchSetup {
  stores: BenchStores;
  db: Database;
  receivers: WebhookReceivers;
  tenants: { tenantId: string; key: string }[];
  urls: string[];
  endpoints: { tenantId: string; id: string }[];
}

async function prepare(mode: DeploymentMode): Promise<BenchSetup> {
  const stores = await startStores({ redis: mode === 'scaled' });
  const db = openBenchDatabase(stores);
  const receivers = WebhookReceivers.start();
  const tenants = [];
  for (let nth = 0; nth < TENANTS; nth += 1) tenants.push(await createTenant(db));
  const keys = tenants.flatMap(() => Array.from({ length: ENDPOINTS_EACH }, () => randomBytes(32)));
  const urls = await receivers.add(keys.map((key) => key.toString('base64')));
  const endpoints = [];
  for (const [index, url] of urls.entries()) {
    const tenantId = tenants[index % TENANTS]?.tenantId as string;
    const secret = `whsec_${keys[index]?.toString('base64')}`;
    const { id } = await insertSignedEndpoint({ db, config: { secretKey: SECRET_KEY } }, tenantId, {
      url,
      secret,
    });
    endpoints.push({ tenantId, id });
  }
  return { stores, db, receivers, tenants, urls, endpoints };
}

const BODY_OBJECT = JSON.stringify({ note: 'x'.repeat(350) });

/**
 * Inserts events and their due deliveries to one endpoint, as the transactions that record events
 * would do.
 */
async function insertDueDeliveries(
  { db }: Pick<BenchSetup, 'db'>,
  { tenantId, id }: { tenantId: string; id: string },
  count: number,
) {
  const events = Array.from({ length: count }, () => {
    const event = newId();
    const body = `{"id":"${event}","type":"invoice.created","api_version":"v1","timestamp":"${new Date().toISOString()}","tenant_id":"${tenantId}","environment":"live","data":{"object":${BODY_OBJECT}}}`;
    return { event, id: newId(), body };
  });
  await db.transaction([tenantId], async (tx) => {
    const values = [tenantId, id, JSON.stringify(events)];
    const set = `from json_to_recordset($3::json) as r(event uuid, id uuid, body text)`;
    await tx.query({
      text: `insert into events (tenant_id, id, type, body) select $1, event, 'invoice.created', body ${set} where $2::uuid is not null`,
      values,
    });
    await tx.query({
      text: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type) select $1, id, $2, event, 'invoice.created' ${set}`,
      values,
    });
  });
}

async function measureThroughput(setup: BenchSetup, mode: DeploymentMode): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(DELIVERIES / ((await runUndiciLoop(setup.urls)) / 1000));
    const each = Math.ceil(DELIVERIES / setup.endpoints.length);
    for (const endpoint of setup.endpoints) await insertDueDeliveries(setup, endpoint, each);
    await setup.receivers.reset();
    const product = await startWebhookProduct(setup.stores, mode);
    const total = each * setup.endpoints.length;
    await waitFor(async () => (await setup.receivers.stats()).distinct >= total, 120_000);
    const { first, last, count, faults, checked } = await setup.receivers.stats();
    ours.push(count / ((last - first) / 1000));
    print(
      `    round ${round + 1}: ${count} requests for ${total} deliveries, ${checked} signatures checked, ${faults} wrong`,
    );
    await product.stop();
  }
  printRatio(`${mode}: deliveries to ${setup.urls.length} endpoints of ${TENANTS} tenants`, {
    ours: median(ours),
    baseline: median(bare),
    unit: 'deliveries/s',
    bar: 'at least 0.4, goal 0.7',
  });
}

function runUndiciLoop(urls: string[]): Promise<number> {
  const child = fork(fileURLToPath(new URL('support/undici-loop.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
  });
  const body = `{"data":{"object":${BODY_OBJECT}},"filler":"${'y'.repeat(200)}"}`;
  child.send({ urls, body, count: DELIVERIES, perEndpoint: REQUESTS_PER_ENDPOINT });
  return new Promise((resolve) => child.once('message', (ms) => resolve(ms as number)));
}

interface Lags {
  p50: number;
  p95: number;
  p99: number;
}

/**
 * Creates events through the API at a steady rate. Measures the delay from an event's timestamp,
 * taken before the commit, until the receiver has the request.
 */
async function measureLags(setup: BenchSetup, product: Product): Promise<Lags> {
  await setup.receivers.reset();
  const requests = setup.tenants.map(({ key }) => newInvoiceRequest(key));
  await runPacedLoad({
    origin: product.origin,
    perSecond: DELIVERIES_PER_SECOND / ENDPOINTS_EACH,
    seconds: SECONDS,
    requests,
  });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { lagsMs, faults } = await setup.receivers.stats();
  const percentileMs = (share: number) => percentile(lagsMs, share);
  const lags = { p50: percentileMs(0.5), p95: percentileMs(0.95), p99: percentileMs(0.99) };
  print(
    `    ${lagsMs.length} receipts, p50 ${lags.p50} ms, p95 ${lags.p95} ms, p99 ${lags.p99} ms, worst ${Math.max(0, ...lagsMs)} ms, ${faults} wrong signatures`,
  );
  return lags;
}

async function measureIsolation(setup: BenchSetup, mode: DeploymentMode): Promise<void> {
  let product = await startWebhookProduct(setup.stores, mode);
  print(`${mode}: quiet, ${DELIVERIES_PER_SECOND} deliveries/s`);
  // Warm-up: this run opens the connections and prepares the query plans.
  await measureLags(setup, product);
  const quiet = await measureLags(setup, product);
  print(
    `${mode}: event to receipt at ${DELIVERIES_PER_SECOND}/s: p95 ${quiet.p95} ms (bar: at most 250, goal 100)`,
  );
  await product.stop();
  const hangingTenant = await createTenant(setup.db);
  const urls = await setup.receivers.add(
    Array.from({ length: HANGING_ENDPOINTS }, () => null),
    'hang',
  );
  for (const url of urls) {
    const { id } = await insertSignedEndpoint(
      { db: setup.db, config: { secretKey: SECRET_KEY } },
      hangingTenant.tenantId,
      {
        url,
      },
    );
    await insertDueDeliveries(
      setup,
      { tenantId: hangingTenant.tenantId, id },
      PENDING_DELIVERIES / HANGING_ENDPOINTS,
    );
  }
  product = await startWebhookProduct(setup.stores, mode);
  print(
    `${mode}: the same while ${HANGING_ENDPOINTS} endpoints of one tenant hang, with ${PENDING_DELIVERIES} deliveries pending`,
  );
  await measureLags(setup, product);
  const disturbed = await measureLags(setup, product);
  print(
    `${mode}: healthy endpoints' p95, with hanging endpoints ÷ quiet: ${describeRatio(disturbed.p95, quiet.p95)} (bar: at most 2, goal 1.5); p99 ${describeRatio(disturbed.p99, quiet.p99)}`,
  );
  await product.stop();
}

printMachine();
for (const mode of listDeploymentModes()) {
  const setup = await prepare(mode);
  const parts = (process.env.BENCH_PARTS ?? 'throughput,isolation').split(',');
  if (parts.includes('throughput')) await measureThroughput(setup, mode);
  if (parts.includes('isolation')) await measureIsolation(setup, mode);
  setup.receivers.stop();
  await setup.db.close();
  await setup.stores.stop();
}
