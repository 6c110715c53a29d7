import { request } from 'undici';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { print, printMachine } from './support/report.js';
import { startStores } from './support/stores.js';

// Measures how long GET /v1/dispatch-board takes for one client, with many open work orders and
// trucks. Some work orders change before each request.
const WORK_ORDERS = Number(process.env.BENCH_JOBS ?? 5000);
const TRUCKS = Number(process.env.BENCH_TRUCKS ?? 500);
const CHANGES = Number(process.env.BENCH_CHANGES ?? 20);
const SAMPLES = 200;

printMachine();
const stores = await startStores({ redis: false });
const product = await startProduct(stores, 'all');
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
await db.transaction([tenantId], async (tx) => {
  const values = [tenantId, TRUCKS];
  await tx.query({
    text: `insert into drivers (tenant_id, id, name) select $1, gen_random_uuid(), 'Driver ' || i from generate_series(1, $2::int) i`,
    values,
  });
  await tx.query({
    text: `insert into trucks (tenant_id, id, unit_number, duty_class, driver_id, lat, lng, located_at)
           select tenant_id, gen_random_uuid(), name, 'light', id, 40.9, -73.8, now() from drivers where tenant_id = $1`,
    values: [tenantId],
  });
  await tx.query({
    text: `insert into work_orders (tenant_id, id, job_number, status, intake, service_type, pickup_location, contact_name, notes, truck_id, dispatch_time)
           select $1, gen_random_uuid(), 'WO-' || i, case when n.id is null then 'pending' else 'dispatched' end, 'accepted', 'tow', 'I-87 N at exit 4',
             'Pat Motorist', 'On the shoulder', n.id, case when n.id is not null then now() end
           from generate_series(1, $3::int) i
           left join (select id, row_number() over () as nth from trucks where tenant_id = $1) n on n.nth = i and n.nth <= $2::int / 2`,
    values: [tenantId, TRUCKS, WORK_ORDERS],
  });
});
async function changeWorkOrders(): Promise<void> {
  await db.transaction([tenantId], async (tx) => {
    await tx.query({
      text: `update work_orders set notes = notes || '.', updated_at = now() where tenant_id = $1 and id = any(array(
               select id from work_orders where tenant_id = $1 order by random() limit $2))`,
      values: [tenantId, CHANGES],
    });
  });
}

const times: number[] = [];
let bytes = 0;
for (let sample = 0; sample < SAMPLES; sample += 1) {
  await changeWorkOrders();
  const startedAt = performance.now();
  // Use a client that needs little CPU time, because it shares the cores with the measured server.
  const response = await request(`${product.origin}/v1/dispatch-board`, {
    headers: { authorization: `Bearer ${key}` },
  });
  bytes = (await response.body.bytes()).length;
  if (response.statusCode !== 200) throw new Error(`unexpected response: ${response.statusCode}`);
  times.push(performance.now() - startedAt);
}
const first = (times[0] ?? 0).toFixed(1);
times.sort((a, b) => a - b);
const msAt = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
print(
  `dispatch board, ${WORK_ORDERS} open work orders, ${TRUCKS} trucks, ${(bytes / 1e6).toFixed(1)} MB, ${CHANGES} work orders changed before each request: first ${first} ms, p50 ${msAt(0.5)} ms, p95 ${msAt(0.95)} ms (bar: p95 at most 50 ms)`,
);
await db.close();
await product.stop();
await stores.stop();
