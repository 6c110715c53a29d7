import { runSql, startBaseline } from './support/baseline.js';
import { fillInvoices, readIds } from './support/fill.js';
import { type LoadResult, runLoad } from './support/load/closed-load.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { hasRedis, startStores } from './support/stores.js';

// Measures two reads: a page of 50 invoices, and one invoice among a million. The baseline is a
// bare server that reads a table with as many rows.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const CLIENTS = 32;
/**
 * SQL expression: the line items of an invoice in the bare server's table, as JSON. The product
 * stores line items as separate rows.
 */
const LINE_ITEMS = `(select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'position', position, 'name', 'Light-duty tow', 'description', null,
  'category', 'tow', 'quantity', 1, 'unit_type', 'each', 'unit_price_cents', 12500, 'total_cents', 12500, 'taxable', true))
  from generate_series(1, 2) position)`;
const BARE_TENANT = '00000000-0000-4000-8000-000000000001';

function getRequest(path: () => string, key?: string): () => string {
  const authorization = key ? `Authorization: Bearer ${key}\r\n` : '';
  return () => `GET ${path()} HTTP/1.1\r\nHost: bench\r\n${authorization}\r\n`;
}

function cycle(ids: string[], prefix: string): () => string {
  let next = 0;
  return () => {
    next = (next + 1) % ids.length;
    return `${prefix}${ids[next]}`;
  };
}

interface Pair {
  label: string;
  bar: string;
  ours: () => string;
  bare: () => string;
}

const mode = hasRedis() ? 'scaled' : 'all';
const stores = await startStores({ redis: mode === 'scaled' });
const baseline = await startBaseline(stores);
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
printMachine();
print(`filling ${ROWS} invoices with two line items each, and as many bare rows`);
await fillInvoices(stores.superuserUrl, tenantId, ROWS);
await runSql(
  stores.databaseUrl,
  `insert into bench.bare_invoices (id, tenant_id, invoice_number, billing_email, notes, total_cents, subtotal_cents, tax_cents, balance_due_cents,
     created_at, line_items)
   select id, '${BARE_TENANT}', invoice_number, billing_email, notes, total_cents, subtotal_cents, tax_cents, total_cents, created_at, ${LINE_ITEMS}
   from bench.fill_source;
   analyze bench.bare_invoices`,
);
const ids = await readIds(stores.superuserUrl, 5000);
const product = await startProduct(stores, mode);
const pairs: Pair[] = [
  {
    label: 'GET /v1/invoices?limit=50 against Koa + knex',
    bar: 'at least 2.0, goal 2.5',
    ours: getRequest(() => '/v1/invoices?limit=50', key),
    bare: getRequest(() => '/invoices'),
  },
  {
    label: 'GET /v1/invoices/{id} against Koa + pg by key',
    bar: 'at least 0.8, goal 1.0',
    ours: getRequest(cycle(ids, '/v1/invoices/'), key),
    bare: getRequest(cycle(ids, '/invoices/')),
  },
];
for (const { label, bar, ours, bare } of pairs) {
  const results: { ours: LoadResult[]; bare: LoadResult[] } = { ours: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bareRun = await runLoad({
      origin: baseline.origin,
      clients: CLIENTS,
      seconds: SECONDS,
      request: bare,
      expect: 200,
    });
    const ourRun = await runLoad({
      origin: product.origin,
      clients: CLIENTS,
      seconds: SECONDS,
      request: ours,
      expect: 200,
    });
    // The first round is a warm-up for both servers.
    if (round === 0) continue;
    results.bare.push(bareRun);
    results.ours.push(ourRun);
  }
  const rate = (runs: LoadResult[]) => median(runs.map((run) => run.perSecond));
  printRatio(`${mode}: ${label}, ${CLIENTS} clients`, {
    ours: rate(results.ours),
    baseline: rate(results.bare),
    unit: 'req/s',
    bar,
  });
  const p99 = (runs: LoadResult[]) => median(runs.map((run) => run.p99)).toFixed(1);
  print(`    p99 ${p99(results.ours)} ms against ${p99(results.bare)}`);
}
await db.close();
await product.stop();
await baseline.stop();
await stores.stop();
