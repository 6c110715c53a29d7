import { type Baseline, startBaseline, startDirectBaseline } from './support/baseline.js';
import { readCpuMicroseconds } from './support/cpu.js';
import { type LoadResult, runLoad } from './support/load/closed-load.js';
import { newInvoiceRequest } from './support/load/requests.js';
import {
  createTenant,
  type DeploymentMode,
  listDeploymentModes,
  openBenchDatabase,
  type Product,
  startProduct,
} from './support/product.js';
import { describeRatio, median, print, printMachine } from './support/report.js';
import { type BenchStores, startStores } from './support/stores.js';

// Compares POST /v1/invoices, with all features, to two servers without a queue on the same stores.
// The first inserts one bare row. The second stores the same data as the product. The three servers
// alternate.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CLIENTS = (process.env.BENCH_CLIENTS ?? '1,16,128,512').split(',').map(Number);

/** The required ratios by number of clients (docs/performance.md). */
const BARS: Record<number, { bare?: string; direct?: string }> = {
  16: { direct: '1.0, goal 1.2' },
  128: { bare: '0.8, goal 1.0', direct: '1.5, goal 2' },
  512: { direct: '2.2, goal 3' },
};

interface Measured extends LoadResult {
  /** CPU time in µs per request, by process. */
  cpu: Record<string, number>;
}

interface Contender {
  name: string;
  origin: string;
  pids: Record<string, number>;
}

async function measure(
  { origin, pids }: Contender,
  key: string,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Measured> {
  const readAll = () => Object.entries(pids).map(([name, pid]) => [name, readCpuMicroseconds(pid)] as const);
  const before = Object.fromEntries(readAll());
  const load = await runLoad({ origin, clients, seconds, request: newInvoiceRequest(key), expect: 201 });
  const cpu = readAll().map(([name, used]) => [name, (used - (before[name] ?? 0)) / load.count]);
  return { ...load, cpu: Object.fromEntries(cpu) };
}

function listContenders(
  stores: BenchStores,
  parts: { product: Product; bare: Baseline; direct: Baseline },
): Contender[] {
  const { product, bare, direct } = parts;
  const [api, ...workers] = product.pids;
  const processes = { API: api as number, ...(workers[0] && { worker: workers[0] }) };
  const { PostgreSQL } = stores.pids as { PostgreSQL: number };
  const baselinePids = ({ pids: [pid] }: Baseline) => ({ server: pid as number, PostgreSQL });
  return [
    { name: 'bare insert', origin: bare.origin, pids: baselinePids(bare) },
    { name: 'same effects without a queue', origin: direct.origin, pids: baselinePids(direct) },
    { name: 'ours', origin: product.origin, pids: { ...processes, ...stores.pids } },
  ];
}

function printRun(title: string, runs: { name: string; results: Measured[] }[], clients: number): void {
  const medianOf = (results: Measured[], pick: (result: Measured) => number) => median(results.map(pick));
  print(title);
  for (const { name, results } of runs) {
    const [perSecond, p50, p99] = (['perSecond', 'p50', 'p99'] as const).map((member) =>
      medianOf(results, (result) => result[member]),
    ) as [number, number, number];
    const cpu = Object.keys(results[0]?.cpu ?? {}).map(
      (process) => `${process} ${Math.round(medianOf(results, (result) => result.cpu[process] ?? 0))}`,
    );
    print(
      `    ${name}: ${Math.round(perSecond)} req/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms; CPU µs per request: ${cpu.join(', ')}`,
    );
  }
  const [bare, direct, ours] = runs.map(({ results }) => medianOf(results, (result) => result.perSecond));
  const { bare: bareBar = 'none', direct: directBar = 'none' } = BARS[clients] ?? {};
  print(
    `    ${title}: ours ÷ bare insert: ${describeRatio(ours as number, bare as number)} (bar: ${bareBar})`,
  );
  print(
    `    ${title}: ours ÷ same effects: ${describeRatio(ours as number, direct as number)} (bar: ${directBar})`,
  );
  if (clients !== 1) return;
  const [, directP50, ourP50] = runs.map(({ results }) => medianOf(results, (result) => result.p50));
  print(
    `    ${title}: p50, ours ÷ same effects: ${describeRatio(ourP50 as number, directP50 as number)} (bar: at most 3, goal 2)`,
  );
}

async function runMode(mode: DeploymentMode): Promise<void> {
  const stores = await startStores({ redis: mode === 'scaled' });
  const product = await startProduct(stores, mode);
  const bare = await startBaseline(stores);
  const direct = await startDirectBaseline(stores);
  const db = openBenchDatabase(stores);
  const { key } = await createTenant(db);
  const contenders = listContenders(stores, { product, bare, direct });
  for (const contender of contenders) await measure(contender, key, { clients: 32, seconds: 3 });
  for (const clients of CLIENTS) {
    const runs = contenders.map(({ name }) => ({ name, results: [] as Measured[] }));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [index, contender] of contenders.entries())
        runs[index]?.results.push(await measure(contender, key, { clients, seconds: SECONDS }));
    printRun(`${mode}: POST /v1/invoices, ${clients} ${clients === 1 ? 'client' : 'clients'}`, runs, clients);
  }
  if (process.env.BENCH_METRICS) print(await (await fetch(`${product.metricsOrigin}/metrics`)).text());
  await db.close();
  await Promise.all([bare.stop(), direct.stop(), product.stop()]);
  await stores.stop();
}

printMachine();
for (const mode of listDeploymentModes()) await runMode(mode);
