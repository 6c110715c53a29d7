import pg from 'pg';
import { IS_PAST_DUE, PAST_DUE_JOINS } from '../shared/billing/past-due.js';
import type { SqlQuery, Transaction } from '../shared/platform/postgres/database.js';
import { findOverdueInvoices } from '../shared/resources/invoices/overdue-sweep.js';
import { openBenchDatabase } from './support/product.js';
import { median, print, printMachine, printRatio } from './support/report.js';
import { startStores } from './support/stores.js';

// Measures one pass of the sweep that finds invoices past their due date. Only a few of many open
// invoices are newly past due. The baseline is a query that reads every open invoice.
const TENANTS = Number(process.env.BENCH_TENANTS ?? 500);
const OPEN_EACH = Number(process.env.BENCH_OPEN_EACH ?? 4000);
/** Number of invoices that are newly past due, each in a different account. */
const DUE = Number(process.env.BENCH_DUE ?? 100);
const PASSES = Number(process.env.BENCH_PASSES ?? 20);
const BASELINE_PASSES = 3;
const LIMIT = 2000;

const TENANTS_OF_PASS = `unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)`;
const BASELINE: SqlQuery = {
  text: `select i.tenant_id, i.id, o.environment from ${TENANTS_OF_PASS} join tenants o on o.tenant_id = own.tenant_id
         join invoices i on i.tenant_id = own.tenant_id and i.status in ('sending', 'sent_to_roadsync', 'viewed', 'partially_paid')
         ${PAST_DUE_JOINS} where ${IS_PAST_DUE} limit $1`,
  values: [LIMIT],
};

/**
 * Inserts accounts with open invoices. Some invoices have a due date of their own. For the others,
 * the payment terms of the customer or of the account apply.
 */
async function fill(client: pg.Client): Promise<void> {
  await client.query(
    `insert into tenants (tenant_id, name, environment) select gen_random_uuid(), 'Tenant ' || n, 'live' from generate_series(1, $1::int) n`,
    [TENANTS],
  );
  await client.query(`insert into customers (tenant_id, id, company_name, company_type, terms_days)
                      select tenant_id, gen_random_uuid(), 'Payer', 'other', 60 from tenants`);
  const { rows } = await client.query<{ tenant_id: string; id: string }>(
    'select tenant_id, id from customers',
  );
  for (const { tenant_id, id } of rows)
    await client.query(
      `insert into invoices (tenant_id, id, invoice_number, status, customer_id, due_date, released_at, released_as)
       select $1, gen_random_uuid(), 'F-' || n, (array['sending', 'viewed', 'partially_paid'])[1 + n % 3],
         case when n % 3 = 1 then $2::uuid end, case when n % 3 = 0 then now() + interval '20 days' end,
         now() - interval '20 days', 'sending'
       from generate_series(1, $3::int) n`,
      [tenant_id, id, OPEN_EACH],
    );
  await client.query(
    `update invoices set released_at = now() - interval '61 days', due_date = case when due_date is not null then now() - interval '2 days' end
     where (tenant_id, invoice_number) in (select tenant_id, 'F-' || (1 + row_number() over () % 3) from tenants limit $1)`,
    [DUE],
  );
  await client.query(
    'create index invoices_due on invoices (tenant_id, status) where status in ' +
      "('sending', 'sent_to_roadsync', 'viewed', 'partially_paid')",
  );
  await client.query('vacuum analyze');
}

/** Resolves with the sweep's query as the product would send it, without running it. */
async function captureSweepQuery(): Promise<SqlQuery> {
  let captured: SqlQuery | undefined;
  const query = async (sweepQuery: SqlQuery) => {
    captured = sweepQuery;
    return [];
  };
  await findOverdueInvoices({ query } as unknown as Transaction, LIMIT);
  return captured as SqlQuery;
}

printMachine();
const stores = await startStores({ redis: false });
const target = new URL(stores.superuserUrl);
target.pathname = new URL(stores.databaseUrl).pathname;
const superuser = new pg.Client({ connectionString: target.href });
await superuser.connect();
await fill(superuser).finally(() => superuser.end());
const db = openBenchDatabase(stores);
const tenantIds = await db.listTenantIds();

interface Pass {
  ms: number;
  found: number;
  pages: number;
}

/**
 * Runs the query once to measure its duration, and once to count the pages that PostgreSQL reads.
 */
function measure({ text }: SqlQuery): Promise<Pass> {
  return db.runAndRollBack(tenantIds, async (tx) => {
    // The baseline may take longer than the product's query timeout.
    await tx.query({ text: 'set local statement_timeout = 0' });
    await tx.query({ text: `prepare sweep as ${text}` });
    const startedAt = performance.now();
    const rows = await tx.query({ text: `execute sweep (${LIMIT})` });
    const ms = performance.now() - startedAt;
    const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
      text: `explain (analyze, buffers, timing off, format json) execute sweep (${LIMIT})`,
    });
    await tx.query({ text: 'deallocate sweep' });
    const plan = row?.['QUERY PLAN'][0].Plan ?? {};
    const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    return { ms, found: rows.length, pages };
  });
}

async function measureAll(query: SqlQuery, passes: number): Promise<Pass> {
  const measured: Pass[] = [];
  for (let pass = 0; pass < passes; pass += 1) measured.push(await measure(query));
  const [{ found, pages }] = measured as [Pass];
  return { found, pages, ms: median(measured.map(({ ms }) => ms)) };
}

const baseline = await measureAll(BASELINE, BASELINE_PASSES);
const ours = await measureAll(await captureSweepQuery(), PASSES);
print(
  `${TENANTS * OPEN_EACH} open invoices of ${TENANTS} accounts; found: ours ${ours.found}, baseline ${baseline.found}`,
);
printRatio('pages read by a pass', {
  ours: ours.pages,
  baseline: baseline.pages,
  unit: 'pages',
  bar: '≤ 0.05',
});
printRatio('time of a pass', { ours: ours.ms, baseline: baseline.ms, unit: 'ms', bar: '≤ 0.05' });
await db.close();
await stores.stop();
