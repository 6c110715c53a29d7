import { fillDeliveries } from './support/fill-deliveries.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { describeRatio, percentile, print, printMachine } from './support/report.js';
import { startStores } from './support/stores.js';

// For each filter, measures how long the first page and a deep page of a busy tenant's delivery log
// take. The baseline is the first page without a filter.
const ATTEMPTS = Number(process.env.BENCH_ATTEMPTS ?? 10_000_000);
const DEPTH = Number(process.env.BENCH_DEPTH ?? 1000);
const SAMPLES = 300;
const PAGE = 50;

interface Page {
  data: { items: { id: string }[]; cursor: string | null };
}

printMachine();
const stores = await startStores({ redis: false });
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
print(`filling ${ATTEMPTS} attempts`);
const { endpointId, eventType } = await fillDeliveries(stores, tenantId, ATTEMPTS);
const product = await startProduct(stores, 'all');

async function get(path: string): Promise<Page> {
  const response = await fetch(`${product.origin}/v1/webhook-deliveries${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Page;
}

/**
 * Finds page DEPTH, or the last page if the list is shorter. Resolves with the page's number and
 * query string.
 */
async function findDeepPage(filter: string): Promise<{ page: number; path: string }> {
  let path = `?limit=${PAGE}${filter}`;
  for (let page = 1; ; page += 1) {
    const { cursor } = (await get(path)).data;
    if (page === DEPTH || !cursor) return { page, path };
    path = `?limit=${PAGE}${filter}&cursor=${encodeURIComponent(cursor)}`;
  }
}

const FIRST = `?limit=${PAGE}`;
const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3600 * 1000).toISOString();
const endpoint = `&endpoint_id=${endpointId}`;
const type = `&event_type=${eventType}`;
const filters: Record<string, string> = {
  'no filter': '',
  endpoint_id: endpoint,
  'status=exhausted': '&status=exhausted',
  'status=succeeded': '&status=succeeded',
  event_type: type,
  since: `&since=${daysAgo(2)}`,
  until: `&until=${daysAgo(20)}`,
  'endpoint_id, status': `${endpoint}&status=exhausted`,
  'endpoint_id, event_type': `${endpoint}${type}`,
  'all filters': `${endpoint}${type}&status=succeeded&since=${daysAgo(25)}`,
};

const paths: [string, string][] = [];
const oldest: string[] = [];
for (const [name, filter] of Object.entries(filters)) {
  const deep = await findDeepPage(filter);
  paths.push([`${name}, page 1`, `${FIRST}${filter}`], [`${name}, page ${deep.page}`, deep.path]);
  oldest.push(...(await get(deep.path)).data.items.map(({ id }) => id));
}
const newest = (await get(FIRST)).data.items.map(({ id }) => id);
paths.push(
  ['attempts of a new delivery', `/${newest[0]}/attempts`],
  ['attempts of an old delivery', `/${oldest[0]}/attempts`],
);

const times = new Map<string, number[]>(paths.map(([name]) => [name, []]));
for (let sample = 0; sample < SAMPLES; sample += 1) {
  // Alternate between the paths, so that a disturbance of the machine affects each path equally.
  for (const [name, path] of paths) {
    const startedAt = performance.now();
    await get(path);
    times.get(name)?.push(performance.now() - startedAt);
  }
}
const [unfiltered] = times.values();
const firstPage = percentile(unfiltered as number[], 0.5);
for (const [name, durations] of times) {
  const [p50, p95] = [percentile(durations, 0.5), percentile(durations, 0.95)];
  print(
    `${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (bar: 100), ${describeRatio(p50, firstPage)} of the first page without a filter`,
  );
}
await db.close();
await product.stop();
await stores.stop();
