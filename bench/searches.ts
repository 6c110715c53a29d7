import { fillSearchableInvoices } from './support/fill.js';
import { type LoadResult, runLoad } from './support/load/closed-load.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { hasRedis, startStores } from './support/stores.js';

// Measures how long one tenant's searches of a million invoices take. Then measures how long a
// second tenant's list requests take while the first tenant searches with six clients. Finally,
// measures how long the second tenant's searches take while each of six other tenants searches
// through all its entries.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000);
const SEARCHING_CLIENTS = 6;
const LISTING_CLIENTS = 2;
const SCANNING_TENANTS = 6;
const SCANNED_ROWS = Number(process.env.BENCH_SCANNED_ROWS ?? 50_000);
/**
 * A search for this text reads all search entries of a tenant. The index has no keys for two
 * letters, so it cannot narrow the search. No invoice contains the letters, so no match ends the
 * search early.
 */
const SCANNING_TERM = 'zq';

const TERMS: Readonly<Record<string, string>> = {
  common: 'INV-',
  'common only in old records': 'OLD-',
  'common digits': '123',
  rare: `OLD-${String(Math.floor(ROWS / 3)).padStart(7, '0')}`,
  'rare, of a purchase order': 'a1b2c3',
  'found nowhere': 'zzqx',
  'found nowhere, with common digits': 'INV-0000001',
  'two letters': '99',
};

function searchRequest(key: string, terms: string[]): () => string {
  let next = 0;
  return () => {
    next += 1;
    const term = terms[next % terms.length] as string;
    return `GET /v1/invoices?search=${term} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  };
}

const mode = hasRedis() ? 'scaled' : 'all';
const stores = await startStores({ redis: mode === 'scaled' });
const db = openBenchDatabase(stores);
const searching = await createTenant(db);
const listing = await createTenant(db);
printMachine();
const scanning = await Promise.all(Array.from({ length: SCANNING_TENANTS }, () => createTenant(db)));
print(`filling ${ROWS} invoices, and ${SCANNED_ROWS} for each of ${SCANNING_TENANTS} more tenants`);
for (const { tenantId } of scanning)
  await fillSearchableInvoices(stores.superuserUrl, tenantId, SCANNED_ROWS);
await fillSearchableInvoices(stores.superuserUrl, searching.tenantId, ROWS);
await fillSearchableInvoices(stores.superuserUrl, listing.tenantId, 20_000);
const product = await startProduct(stores, mode);

for (const [label, term] of Object.entries(TERMS)) {
  const request = searchRequest(searching.key, [term]);
  const { p50, p95 } = await runLoad({
    origin: product.origin,
    clients: 1,
    seconds: SECONDS / 5,
    request,
    expect: 200,
  });
  print(
    `${mode}: search of ${ROWS} invoices, ${label} (${term}): p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} (bar: at most 20)`,
  );
}

const list = () =>
  `GET /v1/invoices?limit=50 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${listing.key}\r\n\r\n`;
const runList = () =>
  runLoad({
    origin: product.origin,
    clients: LISTING_CLIENTS,
    seconds: SECONDS,
    request: list,
    expect: 200,
  });
await runList();
const quiet: LoadResult[] = [];
const withSearches: LoadResult[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  quiet.push(await runList());
  const request = searchRequest(searching.key, Object.values(TERMS));
  const searches = runLoad({
    origin: product.origin,
    clients: SEARCHING_CLIENTS,
    seconds: SECONDS + 1,
    request,
    expect: 200,
  });
  withSearches.push(await runList());
  const { perSecond } = await searches;
  print(`    ${Math.round(perSecond)} searches/s at the same time`);
}
const p95 = (runs: LoadResult[]) => median(runs.map((run) => run.p95 * 1000));
printRatio(`${mode}: p95 of another tenant's list during searches of ${SEARCHING_CLIENTS} clients`, {
  ours: p95(withSearches),
  baseline: p95(quiet),
  unit: 'µs',
  bar: 'at most 2',
});

const searchNewest = () =>
  runLoad({
    origin: product.origin,
    clients: 1,
    seconds: SECONDS,
    request: searchRequest(listing.key, ['INV-']),
    expect: 200,
  });
const alone = await searchNewest();
const scans = scanning.map(({ key }) =>
  runLoad({
    origin: product.origin,
    clients: 2,
    seconds: SECONDS + 1,
    request: searchRequest(key, [SCANNING_TERM]),
    expect: 200,
  }),
);
const duringScans = await searchNewest();
const scanP95 = median((await Promise.all(scans)).map(({ p95 }) => p95));
print(
  `${mode}: search of another tenant during scans of ${SCANNING_TENANTS} tenants: p50 ${duringScans.p50.toFixed(0)} ms, p95 ${duringScans.p95.toFixed(0)} (quiet ${alone.p95.toFixed(0)}; the scans' own p95 ${scanP95.toFixed(0)}; bar: all answered)`,
);
await db.close();
await product.stop();
await stores.stop();
