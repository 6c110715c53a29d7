import { readlinkSync } from 'node:fs';
import { Agent, request } from 'undici';
import { invoiceInput } from '../test/support/records/samples.js';
import { Replica } from '../test/support/replica/replica.js';
import { readCpuMicroseconds } from './support/cpu.js';
import { fillInvoices } from './support/fill.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { hasRedis, startStores } from './support/stores.js';

// Measures what a replica takes off the primary. Clients create an invoice and then read lists with
// its consistency token; in the baseline they read the same lists without the token.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ROWS = Number(process.env.BENCH_ROWS ?? 100_000);
const CLIENTS = 16;
const LISTS_PER_WRITE = 9;
const HEADER = 'x-service-consistency-token';

interface Run {
  listsPerSecond: number;
  p95: number;
  /** CPU time of the primary for each list, its share of the writes included. */
  primaryMicroseconds: number;
  replicaShare: number;
}

const mode = hasRedis() ? 'scaled' : 'all';
const stores = await startStores({ redis: mode === 'scaled' });
const replica = await Replica.start(stores.superuserUrl, readlinkSync(`/proc/${stores.pids.PostgreSQL}/exe`));
const settings = { DATABASE_REPLICA_URL: replica.toReplicaUrl(stores.databaseUrl) };
const product = await startProduct(stores, mode, { settings });
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
printMachine();
await fillInvoices(stores.superuserUrl, tenantId, ROWS);
const dispatcher = new Agent({ connections: CLIENTS });

async function call(method: 'GET' | 'POST', path: string, more: { body?: string; token?: string } = {}) {
  const response = await request(`${product.origin}${path}`, {
    method,
    dispatcher,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(more.token && { [HEADER]: more.token }),
    },
    body: more.body ?? null,
  });
  await response.body.dump();
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode}`);
  return response.headers;
}

async function readReplicaReads(): Promise<number> {
  const text = await (await fetch(`${product.origin}/metrics`)).text();
  return Number(/tow_replica_reads_total{outcome="replica"} (\d+)/.exec(text)?.[1] ?? 0);
}

async function run(sendsToken: boolean): Promise<Run> {
  const times: number[] = [];
  const readBefore = await readReplicaReads();
  const cpuBefore = readCpuMicroseconds(stores.pids.PostgreSQL as number);
  const endsAt = performance.now() + SECONDS * 1000;
  const work = async () => {
    while (performance.now() < endsAt) {
      const created = await call('POST', '/v1/invoices', { body: JSON.stringify(invoiceInput()) });
      const token = String(created[HEADER]);
      for (let nth = 0; nth < LISTS_PER_WRITE; nth += 1) {
        const startedAt = performance.now();
        await call('GET', '/v1/invoices?limit=50', sendsToken ? { token } : {});
        times.push(performance.now() - startedAt);
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  const cpu = readCpuMicroseconds(stores.pids.PostgreSQL as number) - cpuBefore;
  times.sort((one, other) => one - other);
  return {
    listsPerSecond: times.length / SECONDS,
    p95: times[Math.floor(times.length * 0.95)] as number,
    primaryMicroseconds: cpu / times.length,
    replicaShare: ((await readReplicaReads()) - readBefore) / times.length,
  };
}

const runs: Record<'ours' | 'baseline', Run[]> = { ours: [], baseline: [] };
for (let round = 0; round <= ROUNDS; round += 1) {
  const [baseline, ours] = [await run(false), await run(true)];
  // The first round is a warm-up.
  if (round === 0) continue;
  runs.baseline.push(baseline);
  runs.ours.push(ours);
}
const pick = (name: keyof Run) => ({
  ours: median(runs.ours.map((one) => one[name])),
  baseline: median(runs.baseline.map((one) => one[name])),
});
const title = `${mode}: ${CLIENTS} clients, ${LISTS_PER_WRITE} lists for each write`;
printRatio(`CPU of the primary for each list: with tokens against without, ${title}`, {
  ...pick('primaryMicroseconds'),
  unit: 'µs',
  bar: 'below 1',
});
printRatio('lists', { ...pick('listsPerSecond'), unit: '/s', bar: 'none: both servers share this machine' });
printRatio('p95 of a list', { ...pick('p95'), unit: 'ms', bar: 'none' });
print(
  `    ${(pick('replicaShare').ours * 100).toFixed(0)} % of the lists with a token came from the replica`,
);
await db.close();
await product.stop();
await replica.stop();
await stores.stop();
process.exit(0);
