import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { newId } from '../shared/platform/ids.js';
import type { Database } from '../shared/platform/postgres.js';
import { insertSignedEndpoint } from '../test/support/webhooks.js';
import { runPaced } from './support/paced.js';
import {
  chosenWays,
  createTenant,
  openBenchDatabase,
  type Product,
  SECRET_KEY,
  startDelivering,
  type Way,
} from './support/product.js';
import { Receivers } from './support/receivers.js';
import { median, percentile, print, printMachine, printRatio, ratio } from './support/report.js';
import { newInvoiceRequest } from './support/requests.js';
import { type BenchStores, startStores, waitFor } from './support/stores.js';

// Deliveries a second beside a bare undici loop, from the event to the receiver at 200 a second, and the same while a neighbour's endpoints hang.
const TENANTS = 50;
const ENDPOINTS_EACH = 2;
const COUNT = Number(process.env.BENCH_DELIVERIES ?? 40_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 15);
const RATE = 200;
const HANGING = 100;
const PENDING = Number(process.env.BENCH_PENDING ?? 100_000);
const PER_ENDPOINT = 4;

interface Bed {
  stores: BenchStores;
  db: Database;
  receivers: Receivers;
  tenants: { tenantId: string; key: string }[];
  urls: string[];
  endpoints: { tenantId: string; id: string }[];
}

async function prepare(way: Way): Promise<Bed> {
  const stores = await startStores({ redis: way === 'scaled' });
  const db = openBenchDatabase(stores);
  const receivers = Receivers.start();
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

/** Deliveries that are due, as the events' own transactions would have left them. */
async function fill(
  { db }: Pick<Bed, 'db'>,
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

async function measureThroughput(bed: Bed, way: Way): Promise<void> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(COUNT / ((await undiciLoop(bed.urls)) / 1000));
    const each = Math.ceil(COUNT / bed.endpoints.length);
    for (const endpoint of bed.endpoints) await fill(bed, endpoint, each);
    await bed.receivers.reset();
    const product = await startDelivering(bed.stores, way);
    const total = each * bed.endpoints.length;
    await waitFor(async () => (await bed.receivers.stats()).distinct >= total, 120_000);
    const { first, last, count, faults, checked } = await bed.receivers.stats();
    ours.push(count / ((last - first) / 1000));
    print(
      `    round ${round + 1}: ${count} requests for ${total} deliveries, ${checked} signatures checked, ${faults} wrong`,
    );
    await product.stop();
  }
  printRatio(`${way}: deliveries to ${bed.urls.length} endpoints of ${TENANTS} tenants`, {
    ours: median(ours),
    baseline: median(bare),
    unit: 'deliveries/s',
    bar: 'at least 0.4, goal 0.7',
  });
}

function undiciLoop(urls: string[]): Promise<number> {
  const child = fork(fileURLToPath(new URL('support/undici-loop.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
  });
  const body = `{"data":{"object":${BODY_OBJECT}},"filler":"${'y'.repeat(200)}"}`;
  child.send({ urls, body, count: COUNT, perEndpoint: PER_ENDPOINT });
  return new Promise((resolve) => child.once('message', (ms) => resolve(ms as number)));
}

interface Lags {
  p50: number;
  p95: number;
  p99: number;
}

/** Events at a steady rate through the API; from their own timestamps, taken before the commit, to their receipt. */
async function measureLags(bed: Bed, product: Product): Promise<Lags> {
  await bed.receivers.reset();
  const requests = bed.tenants.map(({ key }) => newInvoiceRequest(key));
  await runPaced({ origin: product.origin, perSecond: RATE / ENDPOINTS_EACH, seconds: SECONDS, requests });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { lagsMs, faults } = await bed.receivers.stats();
  const at = (share: number) => percentile(lagsMs, share);
  const lags = { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  print(
    `    ${lagsMs.length} receipts, p50 ${lags.p50} ms, p95 ${lags.p95} ms, p99 ${lags.p99} ms, worst ${Math.max(0, ...lagsMs)} ms, ${faults} wrong signatures`,
  );
  return lags;
}

async function measureIsolation(bed: Bed, way: Way): Promise<void> {
  let product = await startDelivering(bed.stores, way);
  print(`${way}: quiet, ${RATE} deliveries/s`);
  // Connections and plans are made before the clock runs.
  await measureLags(bed, product);
  const quiet = await measureLags(bed, product);
  print(`${way}: event to receipt at ${RATE}/s: p95 ${quiet.p95} ms (bar: at most 250, goal 100)`);
  await product.stop();
  const bad = await createTenant(bed.db);
  const urls = await bed.receivers.add(
    Array.from({ length: HANGING }, () => null),
    'hang',
  );
  for (const url of urls) {
    const { id } = await insertSignedEndpoint(
      { db: bed.db, config: { secretKey: SECRET_KEY } },
      bad.tenantId,
      {
        url,
      },
    );
    await fill(bed, { tenantId: bad.tenantId, id }, PENDING / HANGING);
  }
  product = await startDelivering(bed.stores, way);
  print(`${way}: the same while ${HANGING} endpoints of one tenant hang, with ${PENDING} deliveries pending`);
  await measureLags(bed, product);
  const loud = await measureLags(bed, product);
  print(
    `${way}: healthy endpoints' p95, loud ÷ quiet: ${ratio(loud.p95, quiet.p95)} (bar: at most 2, goal 1.5); p99 ${ratio(loud.p99, quiet.p99)}`,
  );
  await product.stop();
}

printMachine();
for (const way of chosenWays()) {
  const bed = await prepare(way);
  const parts = (process.env.BENCH_PARTS ?? 'throughput,isolation').split(',');
  if (parts.includes('throughput')) await measureThroughput(bed, way);
  if (parts.includes('isolation')) await measureIsolation(bed, way);
  bed.receivers.stop();
  await bed.db.close();
  await bed.stores.stop();
}
