import { fillInvoices } from './support/fill.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { startStores } from './support/stores.js';

// Measures how long page 10,000 of a list takes. The baseline is page 1. With keyset pagination,
// both pages should take equally long.
const ROWS = Number(process.env.BENCH_ROWS ?? 5_000_000);
const DEPTH = Number(process.env.BENCH_DEPTH ?? 10_000);
const SAMPLES = 300;

interface Page {
  data: { cursor: string | null; count: number };
}

printMachine();
const stores = await startStores({ redis: false });
const product = await startProduct(stores, 'all');
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
print(`filling ${ROWS} invoices`);
await fillInvoices(stores.superuserUrl, tenantId, ROWS);

async function fetchPage(cursor: string | null): Promise<Page> {
  const query = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
  const response = await fetch(`${product.origin}/v1/invoices?limit=50${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Page;
}

async function measureMs(cursor: string | null): Promise<number> {
  const startedAt = performance.now();
  await fetchPage(cursor);
  return performance.now() - startedAt;
}

let cursor: string | null = null;
for (let page = 1; page < DEPTH; page += 1) {
  const { data } = await fetchPage(cursor);
  if (!data.cursor) throw new Error(`the list ended on page ${page}`);
  cursor = data.cursor;
}
const first: number[] = [];
const deep: number[] = [];
for (let sample = 0; sample < SAMPLES; sample += 1) {
  first.push(await measureMs(null));
  deep.push(await measureMs(cursor));
}
const medianMicros = (values: number[]) => median(values) * 1000;
printRatio(`page ${DEPTH} against page 1 of ${ROWS} invoices, 50 each, one client`, {
  ours: medianMicros(deep),
  baseline: medianMicros(first),
  unit: 'µs',
  bar: 'at most 1.5, goal 1.2',
});
await db.close();
await product.stop();
await stores.stop();
