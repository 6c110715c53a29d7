import { type ChildProcess, spawn } from 'node:child_process';
import { runLoad } from './support/load/closed-load.js';
import { runOpenLoad, type SenderResult } from './support/load/open-load.js';
import { newInvoiceRequest } from './support/load/requests.js';
import {
  createTenant,
  type DeploymentMode,
  listDeploymentModes,
  openBenchDatabase,
  type Product,
  startProduct,
} from './support/product.js';
import { describeRatio, print, printMachine } from './support/report.js';
import { startStores } from './support/stores.js';

// Measures the peak rate of writes, and then sends writes at one, two and five times this rate
// (BENCH_FACTORS). Repeats this while another program uses one core. Prints how many writes were
// accepted, their latency, and the statuses of the others. Meanwhile a second tenant sends 20
// writes a second, to show whether the flood of the first tenant affects it.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const FACTORS = (process.env.BENCH_FACTORS ?? '1,2,5').split(',').map(Number);
const PEAK_CLIENTS = 128;
const QUIET_PER_SECOND = 20;

function describe(result: SenderResult): string {
  const { accepted, refusedP99, waitedP99, statuses, withoutRetryAfter } = result;
  const counts = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
  const ms = (value: number) => `${Math.round(value)}`;
  return (
    `${counts.join(', ')}; accepted p50 ${ms(accepted.p50)}, p95 ${ms(accepted.p95)}, p99 ${ms(accepted.p99)} ms; ` +
    `refused p99 ${ms(refusedP99)} ms; waited for a connection p99 ${ms(waitedP99)} ms; 503 without Retry-After: ${withoutRetryAfter}`
  );
}

/** A program that uses one core until it is stopped. */
function startBusyNeighbour(): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function measurePeak(product: Product, key: string): Promise<number> {
  const request = newInvoiceRequest(key);
  const { perSecond, p99 } = await runLoad({
    origin: product.origin,
    clients: PEAK_CLIENTS,
    seconds: SECONDS,
    request,
    expect: 201,
  });
  print(`  peak with ${PEAK_CLIENTS} clients: ${Math.round(perSecond)}/s, p99 ${Math.round(p99)} ms`);
  return perSecond;
}

async function runMode(mode: DeploymentMode): Promise<void> {
  const stores = await startStores({ redis: mode === 'scaled' });
  const product = await startProduct(stores, mode, { settings: { CONNECTIONS_PER_NETWORK: '10000' } });
  const db = openBenchDatabase(stores);
  const flood = await createTenant(db);
  const quiet = await createTenant(db);
  await runLoad({
    origin: product.origin,
    clients: 32,
    seconds: 3,
    request: newInvoiceRequest(flood.key),
    expect: 201,
  });
  for (const neighbour of [undefined, startBusyNeighbour]) {
    const title = `${mode}${neighbour ? ', beside a program that uses one core' : ''}`;
    print(title);
    const stopped = neighbour?.();
    const peak = await measurePeak(product, flood.key);
    for (const factor of FACTORS) {
      const cpuBefore = process.cpuUsage();
      const [first, second] = await runOpenLoad({
        origin: product.origin,
        seconds: SECONDS,
        senders: [
          {
            name: 'flood',
            connections: 4000,
            perSecond: peak * factor,
            request: newInvoiceRequest(flood.key),
          },
          {
            name: 'quiet tenant',
            connections: 100,
            perSecond: QUIET_PER_SECOND,
            request: newInvoiceRequest(quiet.key),
          },
        ],
      });
      if (!first || !second) continue;
      const { user, system } = process.cpuUsage(cpuBefore);
      const load = (user + system) / 1e6 / SECONDS;
      print(
        `  ${title}, ${factor} × peak: accepted ${Math.round(first.acceptedPerSecond)}/s, ÷ peak ${describeRatio(first.acceptedPerSecond, peak)} (bar: 0.9); the load itself used ${load.toFixed(2)} cores`,
      );
      print(`    flood: ${describe(first)}`);
      print(`    quiet tenant (${second.due} due): ${describe(second)}`);
    }
    stopped?.kill('SIGKILL');
  }
  await db.close();
  await product.stop();
  await stores.stop();
}

printMachine();
for (const mode of listDeploymentModes()) await runMode(mode);
