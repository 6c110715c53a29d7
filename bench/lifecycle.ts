import type { Database } from '../shared/platform/postgres/database.js';
import { analyzeTables } from './support/fill.js';
import { type LoadResult, runLoad } from './support/load/closed-load.js';
import { newInvoiceRequest, postRequest } from './support/load/requests.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { hasRedis, startStores } from './support/stores.js';

// Measures how fast invoices are approved, and how fast payments are recorded. The baseline is how
// fast invoices are created. The three kinds of requests alternate, on the same stores. Each
// request concerns a different invoice.
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CLIENTS = (process.env.BENCH_CLIENTS ?? '1,128').split(',').map(Number);
/** Number of invoices per insert query. More invoices could exceed the product's query timeout. */
const INVOICES_PER_INSERT = 10_000;
/** Number of inserted invoices. A run uses fewer. */
const INVOICES = Number(process.env.BENCH_INVOICES ?? 250_000);

interface Filled {
  drafts: string[];
  sent: string[];
}

async function fillInvoices(db: Database, tenantId: string): Promise<Filled> {
  const filled: Filled = { drafts: [], sent: [] };
  for (let start = 0; start < INVOICES; start += INVOICES_PER_INSERT) {
    const { drafts, sent } = await fillChunk(db, { tenantId, start });
    for (const id of drafts) filled.drafts.push(id);
    for (const id of sent) filled.sent.push(id);
  }
  return filled;
}

function fillChunk(db: Database, { tenantId, start }: { tenantId: string; start: number }): Promise<Filled> {
  return db.transaction([tenantId], async (tx) => {
    const invoices = await tx.query<{ id: string; status: string }>({
      text: `insert into invoices (tenant_id, id, invoice_number, status, billing_email, subtotal_cents, tax_cents, total_cents, paid_cents, released_at,
               released_as, created_at, updated_at)
             select $1, gen_random_uuid(), 'F-' || i, case when i % 2 = 0 then 'draft' else 'sending' end, 'billing@example.com', 10000, 0, 10000, 0,
               case when i % 2 = 0 then null else now() end, case when i % 2 = 0 then null else 'sending' end, now(), now()
             from generate_series($2::int + 1, $2::int + $3::int) i returning id, status`,
      values: [tenantId, start, INVOICES_PER_INSERT],
    });
    await tx.query({
      text: `insert into invoice_line_items (tenant_id, invoice_id, id, position, name, category, quantity, unit_type, unit_price_cents, total_cents, taxable)
             select tenant_id, id, gen_random_uuid(), 1, 'Tow', 'tow', 1, 'each', 10000, 10000, false from invoices
             where tenant_id = $1 and id = any($2::uuid[]) and status = 'draft'`,
      values: [tenantId, invoices.map(({ id }) => id)],
    });
    const idsWithStatus = (status: string) =>
      invoices.filter((row) => row.status === status).map(({ id }) => id);
    return { drafts: idsWithStatus('draft'), sent: idsWithStatus('sending') };
  });
}

function takeId(ids: string[]): string {
  const id = ids.pop();
  if (!id) throw new Error('all invoices are used up: set BENCH_INVOICES higher');
  return id;
}

printMachine();
const mode = hasRedis() ? 'scaled' : 'all';
const stores = await startStores({ redis: mode === 'scaled' });
const product = await startProduct(stores, mode);
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
const { drafts, sent } = await fillInvoices(db, tenantId);
const { origin } = product;
const writes = {
  create: { request: newInvoiceRequest(key), expect: 201 },
  approve: { request: () => postRequest(key, `/invoices/${takeId(drafts)}/approve`, {}), expect: 200 },
  pay: {
    request: () =>
      postRequest(key, `/invoices/${takeId(sent)}/payments`, { amount_cents: 10_000, method: 'cash' }),
    expect: 201,
  },
};
type Write = keyof typeof writes;
const names = Object.keys(writes) as Write[];
for (const name of names) await runLoad({ origin, clients: 32, seconds: 2, ...writes[name] });
// Update the planner's statistics. With the statistics of an almost empty table, PostgreSQL may
// read all payments for each request.
await analyzeTables(stores.superuserUrl, ['invoices', 'invoice_line_items', 'payments']);
for (const clients of CLIENTS) {
  const runs: Record<Write, LoadResult[]> = { create: [], approve: [], pay: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names)
      runs[name].push(await runLoad({ origin, clients, seconds: SECONDS, ...writes[name] }));
  }
  const medianOf = (name: Write, pick: (run: LoadResult) => number) => median(runs[name].map(pick));
  for (const name of ['approve', 'pay'] as const) {
    printRatio(`${mode}: ${name} against create, ${clients} clients`, {
      ours: medianOf(name, (run) => run.perSecond),
      baseline: medianOf('create', (run) => run.perSecond),
      unit: 'req/s',
      bar: 'none',
    });
    const ms = (which: Write) => medianOf(which, (run) => run.p50).toFixed(2);
    print(`    p50 ${ms(name)} ms against ${ms('create')}`);
  }
}
await db.close();
await product.stop();
await stores.stop();
