import { randomUUID } from 'node:crypto';
import type { Database } from '../shared/platform/postgres/database.js';
import { readCpuMicroseconds } from './support/cpu.js';
import {
  createTenant,
  type DeploymentMode,
  listDeploymentModes,
  openBenchDatabase,
  postToApi,
  startProduct,
} from './support/product.js';
import { percentile, print, printMachine } from './support/report.js';
import { startStores, waitFor } from './support/stores.js';
import { StripeProcess } from './support/stripe-process.js';

// Measures online payments. A double of the vendor sends webhooks at a fixed rate. The service
// reads each payment from the double and records it. The bench measures the time from the payment
// to the event invoice.paid, and the CPU time of each process per payment. The double has a process
// of its own, but shares the cores with the product, and checks each call against the contract.
const PER_SECOND = Number(process.env.BENCH_PER_SECOND ?? 200);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
/** Stripe allows a connection only 25 reads a second, so the payments belong to many accounts. */
const ACCOUNTS = Number(process.env.BENCH_ACCOUNTS ?? 20);
const BAR_MS = 500;

interface Payer {
  tenantId: string;
  key: string;
}

interface OpenPage {
  tenantId: string;
  invoiceId: string;
  url: string;
}

/** The times of one payment, in ms after it. */
interface Delays {
  stored: number;
  called: number;
  paid: number;
}

async function connect(origin: string, db: Database, stripe: StripeProcess): Promise<Payer> {
  const { tenantId, key } = await createTenant(db);
  const secretKey = await stripe.openAccount();
  const secret = `whsec_${randomUUID()}`;
  const connection = await postToApi(origin, key, '/connections', {
    vendor: 'stripe',
    credentials: { secret_key: secretKey, webhook_secret: secret },
  });
  const { pathname } = new URL(connection.webhook_url as string);
  await stripe.sendWebhooks(secretKey, { url: `${origin}${pathname}`, secret });
  return { tenantId, key };
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

/** Opens the pages. Alternates between the accounts, as the payments of real customers do. */
async function openPages(origin: string, payers: readonly Payer[]): Promise<OpenPage[]> {
  const opened = await Promise.all(
    payers.map(async (payer) => {
      const own: OpenPage[] = [];
      for (let nth = 0; nth < (PER_SECOND * SECONDS) / payers.length; nth += 1)
        own.push(await openPage(origin, payer));
      return own;
    }),
  );
  return (opened[0] ?? []).flatMap((_, index) => opened.flatMap((own) => own[index] ?? []));
}

async function countPaid(db: Database, tenantIds: readonly string[]): Promise<number> {
  const [row] = await db.transaction(tenantIds, (tx) =>
    tx.query<{ count: number }>({
      text: `select count(*)::int as count from events where type = 'invoice.paid'`,
    }),
  );
  return row?.count ?? 0;
}

/** Reads when the webhook of each payment was stored, when its call began, and when it was paid. */
async function readDelays(
  db: Database,
  tenantIds: readonly string[],
  paidAt: ReadonlyMap<string, number>,
): Promise<Delays[]> {
  const read = async (key: string, time: string, from: string) => {
    const text = `select ${key} as key, min(extract(epoch from ${time}) * 1000)::float8 as at from ${from} group by 1`;
    const rows = await db.transaction(tenantIds, (tx) => tx.query<{ key: string; at: number }>({ text }));
    return new Map(rows.map(({ key, at }) => [key, at]));
  };
  const stored = await read('hint', 'received_at', 'inbound_notices');
  const called = await read(`split_part(path, '/', 4)`, 'created_at', 'connection_calls');
  const paid = await read(
    `body::jsonb->'data'->'object'->>'id'`,
    'occurred_at',
    `events where type = 'invoice.paid'`,
  );
  const payments = await db.transaction(tenantIds, (tx) =>
    tx.query<{ invoice: string; intent: string }>({
      text: 'select invoice_id as invoice, provider_payment_id as intent from payments',
    }),
  );
  return payments.map(({ invoice, intent }) => {
    const start = paidAt.get(invoice) ?? 0;
    const [storedAt = start, calledAt = start] = [stored.get(intent), called.get(intent)];
    return {
      stored: storedAt - start,
      called: calledAt - start,
      paid: (paid.get(invoice) ?? Number.NaN) - start,
    };
  });
}

function describeDelays(delays: readonly Delays[], name: keyof Delays): string {
  const values = delays.map((one) => one[name]);
  return `p50 ${Math.round(percentile(values, 0.5))} ms, p95 ${Math.round(percentile(values, 0.95))} ms`;
}

async function measure(mode: DeploymentMode): Promise<void> {
  const stores = await startStores({ redis: mode === 'scaled' });
  const stripe = await StripeProcess.start();
  const db = openBenchDatabase(stores);
  const INTEGRATIONS = JSON.stringify({ stripe: { base_url: stripe.origin } });
  const product = await startProduct(stores, mode, {
    workers: ['writes clock', 'integrations'],
    settings: { NODE_ENV: 'development', DEMO: 'false', INTEGRATIONS },
  });
  const { origin } = product;
  const payers: Payer[] = [];
  for (let nth = 0; nth < ACCOUNTS; nth += 1) payers.push(await connect(origin, db, stripe));
  for (const { key } of payers) await waitFor(() => isActive(origin, key));
  print(`${mode}: opening ${PER_SECOND * SECONDS} pay pages of ${ACCOUNTS} accounts`);
  const pages = await openPages(origin, payers);
  const pids = { product: product.pids, double: [stripe.pid], ...stores.pids };
  const readCpu = () =>
    Object.entries(pids).map(([name, ids]): [string, number] => [
      name,
      [ids].flat().reduce((sum, pid) => sum + readCpuMicroseconds(pid), 0),
    ]);
  const callsBefore = (await stripe.count()).calls;
  const cpuBefore = new Map(readCpu());
  const times = await stripe.pay(
    pages.map(({ url }) => url),
    PER_SECOND,
  );
  const paidAt = new Map(pages.map(({ invoiceId }, index) => [invoiceId, times[index] ?? 0]));
  const tenantIds = payers.map(({ tenantId }) => tenantId);
  await waitFor(async () => {
    // Each look costs CPU time that the product could use, so look rarely.
    await new Promise((resolve) => setTimeout(resolve, 250));
    return (await countPaid(db, tenantIds)) === pages.length;
  }, 60_000);
  const cpu = readCpu().map(
    ([name, used]) => `${name} ${((used - (cpuBefore.get(name) ?? 0)) / 1000 / pages.length).toFixed(2)} ms`,
  );
  const delays = await readDelays(db, tenantIds, paidAt);
  print(
    `${mode}: ${pages.length} payments at ${PER_SECOND}/s: webhook to invoice.paid ${describeDelays(delays, 'paid')} (bar: ${BAR_MS} ms)`,
  );
  print(
    `  webhook stored ${describeDelays(delays, 'stored')}; payment read ${describeDelays(delays, 'called')}`,
  );
  print(`  CPU per payment: ${cpu.join(', ')}`);
  const { calls, violations, webhooks, refused } = await stripe.count();
  print(`  ${webhooks} webhooks, ${refused} not accepted; ${calls - callsBefore} calls of the vendor`);
  const [count] = await db.transaction(tenantIds, (tx) =>
    tx.query<{ payments: number }>({ text: 'select count(*)::int as payments from payments' }),
  );
  print(`  payments recorded: ${count?.payments} of ${pages.length}`);
  print(`  violations of the vendor's contract: ${violations}`);
  if (count?.payments !== pages.length || violations > 0) process.exitCode = 1;
  await product.stop();
  stripe.stop();
  await db.close();
  await stores.stop();
}

printMachine();
for (const mode of listDeploymentModes()) await measure(mode);
process.exit();
