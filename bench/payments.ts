import { randomUUID } from 'node:crypto';
import type { Database } from '../shared/platform/postgres/database.js';
import type { StripeAccount } from '../test/support/vendors/doubles/stripe/stripe-account.js';
import { StripeDouble } from '../test/support/vendors/doubles/stripe/stripe-double.js';
import { createTenant, openBenchDatabase, postToApi, startProduct } from './support/product.js';
import { percentile, print, printMachine } from './support/report.js';
import { startStores, waitFor } from './support/stores.js';

// Measures online payments. A double of the vendor sends webhooks at a fixed rate. The service
// reads each payment from the double and records it. The bench measures the time from the payment
// to the event invoice.paid.
const PER_SECOND = Number(process.env.BENCH_PER_SECOND ?? 200);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
/** Stripe allows a connection only 25 reads a second, so the payments belong to many accounts. */
const ACCOUNTS = Number(process.env.BENCH_ACCOUNTS ?? 20);
const BAR_MS = 500;

interface Payer {
  tenantId: string;
  key: string;
  vendor: StripeAccount;
}

interface OpenPage {
  tenantId: string;
  invoiceId: string;
  url: string;
}

async function connect(origin: string, db: Database, double: StripeDouble): Promise<Payer> {
  const { tenantId, key } = await createTenant(db);
  const vendor = double.openAccount();
  const secret = `whsec_${randomUUID()}`;
  const connection = await postToApi(origin, key, '/connections', {
    vendor: 'stripe',
    credentials: { secret_key: vendor.key, webhook_secret: secret },
  });
  vendor.webhook = { url: `${origin}${new URL(connection.webhook_url as string).pathname}`, secret };
  return { tenantId, key, vendor };
}

/** True once the vendor has confirmed the account of the tenant's only connection. */
async function isActive(origin: string, key: string): Promise<boolean> {
  const response = await fetch(`${origin}/v1/connections`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await response.json()) as { data: { items: { external_account: string | null }[] } };
  return data.items[0]?.external_account != null;
}

/** Creates an invoice of 125 dollars with an open pay page. */
async function openPage(origin: string, { tenantId, key }: Payer): Promise<OpenPage> {
  const line = { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', unit_price_cents: 12_500 };
  const { id = '' } = await postToApi(origin, key, '/invoices', {
    invoice_number: randomUUID(),
    billing_email: 'a@example.com',
    line_items: [{ ...line, total_cents: 12_500, taxable: false }],
  });
  await postToApi(origin, key, `/invoices/${id}/approve`, {});
  for (;;) {
    const link = await postToApi(origin, key, `/invoices/${id}/pay-link`, {});
    if (link.url) return { tenantId, invoiceId: id, url: link.url };
  }
}

/** Pays the pages at a fixed rate. Returns the time of each payment, in ms since 1970. */
async function payAll(double: StripeDouble, pages: readonly OpenPage[]): Promise<Map<string, number>> {
  const paidAt = new Map<string, number>();
  const start = performance.now();
  for (const [index, { invoiceId, url }] of pages.entries()) {
    const dueMs = (index * 1000) / PER_SECOND - (performance.now() - start);
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
    paidAt.set(invoiceId, Date.now());
    double.pay(url);
  }
  return paidAt;
}

/** Reads the time of each invoice's event invoice.paid, in ms since 1970. */
async function readEvents(db: Database, tenantIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.transaction(tenantIds, (tx) =>
    tx.query<{ invoice_id: string; at: number }>({
      text: `select body::jsonb->'data'->'object'->>'id' as invoice_id, (extract(epoch from occurred_at) * 1000)::float8 as at
             from events where type = 'invoice.paid'`,
    }),
  );
  return new Map(rows.map(({ invoice_id, at }) => [invoice_id, at]));
}

printMachine();
const stores = await startStores({ redis: false });
const double = await new StripeDouble().start();
const db = openBenchDatabase(stores);
const INTEGRATIONS = JSON.stringify({ stripe: { base_url: double.origin } });
const product = await startProduct(stores, 'all', {
  settings: { NODE_ENV: 'development', DEMO: 'false', INTEGRATIONS },
});
const payers: Payer[] = [];
for (let nth = 0; nth < ACCOUNTS; nth += 1) payers.push(await connect(product.origin, db, double));
for (const { key } of payers) await waitFor(() => isActive(product.origin, key));
print(`opening ${PER_SECOND * SECONDS} pay pages of ${ACCOUNTS} accounts`);
const opened = await Promise.all(
  payers.map(async (payer) => {
    const own: OpenPage[] = [];
    for (let nth = 0; nth < (PER_SECOND * SECONDS) / ACCOUNTS; nth += 1)
      own.push(await openPage(product.origin, payer));
    return own;
  }),
);
// Alternate between the accounts, as the payments of real customers do.
const pages = (opened[0] ?? []).flatMap((_, index) => opened.flatMap((own) => own[index] ?? []));
const paidAt = await payAll(double, pages);
const tenantIds = payers.map(({ tenantId }) => tenantId);
let events = new Map<string, number>();
await waitFor(async () => {
  events = await readEvents(db, tenantIds);
  return events.size === pages.length;
}, 60_000);
const delays = [...events].map(([id, at]) => at - (paidAt.get(id) ?? at));
const p50 = Math.round(percentile(delays, 0.5));
const p95 = Math.round(percentile(delays, 0.95));
print(
  `${pages.length} payments at ${PER_SECOND}/s: webhook to invoice.paid p50 ${p50} ms, p95 ${p95} ms (bar: ${BAR_MS} ms)`,
);
const [count] = await db.transaction(tenantIds, (tx) =>
  tx.query<{ payments: number }>({ text: 'select count(*)::int as payments from payments' }),
);
print(`payments recorded: ${count?.payments} of ${pages.length}`);
print(`violations of the vendor's contract: ${double.violations.length}`);
await product.stop();
await double.stop();
await db.close();
await stores.stop();
process.exit(0);
