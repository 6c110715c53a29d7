import { startBaseline } from './support/baseline.js';
import { type LoadResult, runLoad } from './support/load.js';
import {
  createTenant,
  type DeploymentMode,
  listDeploymentModes,
  openBenchDatabase,
  startProduct,
} from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { newInvoiceRequest } from './support/requests.js';
import { startStores } from './support/stores.js';

// Compares POST /v1/invoices (every feature is on) with a bare insert by Koa and pg. Product and
// baseline alternate, on the same stores.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

async function measure(mode: DeploymentMode): Promise<void> {
  const stores = await startStores({ redis: mode === 'scaled' });
  const product = await startProduct(stores, mode);
  const baseline = await startBaseline(stores);
  const db = openBenchDatabase(stores);
  const { key } = await createTenant(db);
  const load = (origin: string, clients: number, seconds = SECONDS) =>
    runLoad({ origin, clients, seconds, request: newInvoiceRequest(key), expect: 201 });
  await load(product.origin, 32, 3);
  await load(baseline.origin, 32, 3);
  for (const clients of (process.env.BENCH_CLIENTS ?? '1,8,32,128').split(',').map(Number)) {
    const ours: LoadResult[] = [];
    const bare: LoadResult[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await load(baseline.origin, clients));
      ours.push(await load(product.origin, clients));
    }
    const medianOf = (runs: LoadResult[], pick: (run: LoadResult) => number) => median(runs.map(pick));
    printRatio(`${mode}: POST /v1/invoices, ${clients} clients`, {
      ours: medianOf(ours, (run) => run.perSecond),
      baseline: medianOf(bare, (run) => run.perSecond),
      unit: 'req/s',
      bar: clients === 128 ? 'at least 0.7, goal 1.2' : 'none',
    });
    print(
      `    p50 ${medianOf(ours, (run) => run.p50).toFixed(2)} ms against ${medianOf(bare, (run) => run.p50).toFixed(2)}, p99 ${medianOf(ours, (run) => run.p99).toFixed(2)} ms against ${medianOf(bare, (run) => run.p99).toFixed(2)}${clients === 1 ? ' (bar: p50 at most 5 ms, goal 3 ms)' : ''}`,
    );
  }
  if (process.env.BENCH_METRICS) print(await (await fetch(`${product.metricsOrigin}/metrics`)).text());
  await db.close();
  await baseline.stop();
  await product.stop();
  await stores.stop();
}

printMachine();
for (const mode of listDeploymentModes()) await measure(mode);
