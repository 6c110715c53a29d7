import { randomBytes } from 'node:crypto';
import type { Database } from '../shared/platform/postgres/database.js';
import { fetchMetrics } from '../test/support/load/load-invariants.js';
import { readMemoryMb } from '../test/support/load/processes.js';
import { insertDueRetries, insertFarRetries } from '../test/support/webhooks/scheduled-retries.js';
import { insertSignedEndpoint } from '../test/support/webhooks/webhooks.js';
import { runPacedLoad } from './support/load/paced-load.js';
import { newInvoiceRequest } from './support/load/requests.js';
import {
  createTenant,
  type DeploymentMode,
  listDeploymentModes,
  openBenchDatabase,
  SECRET_KEY,
  startWebhookProduct,
} from './support/product.js';
import { WebhookReceivers } from './support/receivers.js';
import { percentile, print, printMachine } from './support/report.js';
import { startStores } from './support/stores.js';

// Measures the delay of due retries, and then of live events, while a million retries are scheduled
// for the next day. Also measures how much memory and how many jobs these million retries cost.
const FAR_RETRIES = Number(process.env.BENCH_FAR ?? 1_000_000);
const DUE_RETRIES = Number(process.env.BENCH_DUE ?? 3000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const TENANTS = 10;
const ENDPOINTS_EACH = 2;
const LIVE_PER_SECOND = 50;
/**
 * The benchmark inserts retries this long before the first of them becomes due. The clock searches
 * for retries at intervals. With this lead, the clock finds the retries before they are due, so the
 * measured delay does not include the clock's interval.
 */
const LEAD_MS = 10_000;

interface BenchAccount {
  key: string;
  tenantId: string;
  endpointIds: string[];
}

async function createAccount(db: Database, receivers: WebhookReceivers): Promise<BenchAccount> {
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

async function measure(mode: DeploymentMode): Promise<void> {
  const stores = await startStores({ redis: mode === 'scaled' });
  const db = openBenchDatabase(stores);
  const receivers = WebhookReceivers.start();
  const accounts: BenchAccount[] = [];
  for (let nth = 0; nth < TENANTS; nth += 1) accounts.push(await createAccount(db, receivers));
  print(`${mode}: inserting ${FAR_RETRIES} retries`);
  for (const account of accounts) await insertFarRetries(db, account, FAR_RETRIES / TENANTS);
  const product = await startWebhookProduct(stores, mode);
  const sender = { pid: product.pids.at(-1) };
  await pause(LEAD_MS);
  const { now: before } = await readMemoryMb(sender);
  const due = { count: DUE_RETRIES / TENANTS, fromMs: LEAD_MS, overMs: SECONDS * 1000 };
  for (const account of accounts) await insertDueRetries(db, account, due);
  await pause(LEAD_MS + SECONDS * 1000 + 5000);
  await printLags(receivers, `${mode}: due retries, from due time to receipt`);
  await runPacedLoad({
    origin: product.origin,
    perSecond: LIVE_PER_SECOND / ENDPOINTS_EACH,
    seconds: SECONDS / 3,
    requests: accounts.map(({ key }) => newInvoiceRequest(key)),
  });
  await pause(1000);
  await printLags(receivers, `${mode}: live events at ${LIVE_PER_SECOND}/s, from event to receipt`);
  const { now: after, peak } = await readMemoryMb(sender);
  const megabytes = [before, after, peak].map((size) => size.toFixed(0)).join(' / ');
  print(`${mode}: memory of the sending process, before / after / peak: ${megabytes} MB`);
  const samples = await fetchMetrics(product.metricsOrigin);
  const jobs = (state: string) => samples.get(`tow_queue_jobs{queue="webhooks",state="${state}"}`);
  print(
    `${mode}: jobs in the queue for ${FAR_RETRIES} retries: ${jobs('delayed')} delayed, ${jobs('waiting')} waiting`,
  );
  await product.stop();
  receivers.stop();
  await db.close();
  await stores.stop();
}

async function printLags(receivers: WebhookReceivers, what: string): Promise<void> {
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
for (const mode of listDeploymentModes()) await measure(mode);
