import { randomBytes } from 'node:crypto';
import type { Database } from '../shared/platform/postgres.js';
import { samplesOf } from '../test/support/journal.js';
import { memoryOf } from '../test/support/processes.js';
import { insertDueRetries, insertFarRetries } from '../test/support/scheduled-retries.js';
import { insertSignedEndpoint } from '../test/support/webhooks.js';
import { runPaced } from './support/paced.js';
import {
  chosenWays,
  createTenant,
  openBenchDatabase,
  SECRET_KEY,
  startDelivering,
  type Way,
} from './support/product.js';
import { Receivers } from './support/receivers.js';
import { percentile, print, printMachine } from './support/report.js';
import { newInvoiceRequest } from './support/requests.js';
import { startStores } from './support/stores.js';

// How late due retries and live events are while a million retries wait for the coming day, and what those cost in memory and jobs.
const FAR = Number(process.env.BENCH_FAR ?? 1_000_000);
const DUE = Number(process.env.BENCH_DUE ?? 3000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const TENANTS = 10;
const ENDPOINTS_EACH = 2;
const LIVE_PER_SECOND = 50;
/** The clock sees what falls due before this has passed. */
const AHEAD_MS = 10_000;

interface Customer {
  key: string;
  tenantId: string;
  endpointIds: string[];
}

async function createCustomer(db: Database, receivers: Receivers): Promise<Customer> {
  const { tenantId, key } = await createTenant(db);
  const endpointIds: string[] = [];
  const secrets = Array.from({ length: ENDPOINTS_EACH }, () => randomBytes(32).toString('base64'));
  for (const [index, url] of (await receivers.add(secrets)).entries()) {
    const secret = `whsec_${secrets[index]}`;
    const made = await insertSignedEndpoint({ db, config: { secretKey: SECRET_KEY } }, tenantId, {
      url,
      secret,
    });
    endpointIds.push(made.id);
  }
  return { key, tenantId, endpointIds };
}

async function measure(way: Way): Promise<void> {
  const stores = await startStores({ redis: way === 'scaled' });
  const db = openBenchDatabase(stores);
  const receivers = Receivers.start();
  const customers: Customer[] = [];
  for (let nth = 0; nth < TENANTS; nth += 1) customers.push(await createCustomer(db, receivers));
  print(`${way}: inserting ${FAR} retries`);
  for (const one of customers) await insertFarRetries(db, one, FAR / TENANTS);
  const product = await startDelivering(stores, way);
  const sender = { pid: product.pids.at(-1) };
  await pause(AHEAD_MS);
  const { now: before } = await memoryOf(sender);
  const due = { count: DUE / TENANTS, fromMs: AHEAD_MS, overMs: SECONDS * 1000 };
  for (const one of customers) await insertDueRetries(db, one, due);
  await pause(AHEAD_MS + SECONDS * 1000 + 5000);
  await printLags(receivers, `${way}: due retries, from when they were due to their receipt`);
  await runPaced({
    origin: product.origin,
    perSecond: LIVE_PER_SECOND / ENDPOINTS_EACH,
    seconds: SECONDS / 3,
    requests: customers.map(({ key }) => newInvoiceRequest(key)),
  });
  await pause(1000);
  await printLags(receivers, `${way}: live events at ${LIVE_PER_SECOND}/s, from the event to its receipt`);
  const { now: after, peak } = await memoryOf(sender);
  const megabytes = [before, after, peak].map((one) => one.toFixed(0)).join(' / ');
  print(`${way}: memory of the process that sends, before / after / at most: ${megabytes} MB`);
  const samples = await samplesOf(product.metricsOrigin);
  const jobs = (state: string) => samples.get(`tow_queue_jobs{queue="webhooks",state="${state}"}`);
  print(
    `${way}: jobs in the queue for ${FAR} retries: ${jobs('delayed')} delayed, ${jobs('waiting')} waiting`,
  );
  await product.stop();
  receivers.stop();
  await db.close();
  await stores.stop();
}

async function printLags(receivers: Receivers, what: string): Promise<void> {
  const { lagsMs, faults, distinct } = await receivers.stats();
  const [p50, p99, worst] = [0.5, 0.99, 0.99999].map((share) => percentile(lagsMs, share));
  print(
    `${what}: ${distinct} events, p50 ${p50} ms, p99 ${p99} ms (bar: at most 1000), worst ${worst} ms, ${faults} wrong signatures`,
  );
  await receivers.reset();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

printMachine();
for (const way of chosenWays()) await measure(way);
