import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Json } from '../../client.js';
import type { TestProcess } from '../../load/processes.js';
import { eventually } from '../../poll.js';
import type { TestStack } from '../../stack.js';
import type { SeenInvoice } from '../books/bookkeeper.js';
import type { BooksAccount } from '../books/books-account.js';
import type { KillableWorkers } from '../killable-workers.js';

/** How many invoices one query inserts, and how many invoices a customer has. */
const INSERTED_TOGETHER = 5_000;
const PER_CUSTOMER = 20;

/**
 * Inserts released invoices of two lines, spread evenly over the last months. Their numbers are
 * B-1, B-2 and so on, and their totals differ.
 */
export async function insertReleased(
  stack: TestStack,
  tenantId: string,
  { invoices, months }: { invoices: number; months: number },
): Promise<void> {
  await stack.rows(
    tenantId,
    `insert into customers (tenant_id, id, company_name, company_type, billing_email, city, state)
     select $1, gen_random_uuid(), 'Payer ' || n, 'other', 'payer' || n || '@example.com', 'Albany', 'NY'
     from generate_series(0, $2::int) n`,
    [tenantId, Math.ceil(invoices / PER_CUSTOMER)],
  );
  for (let first = 1; first <= invoices; first += INSERTED_TOGETHER)
    await stack.rows(
      tenantId,
      `with added as (
         insert into invoices (tenant_id, id, invoice_number, status, customer_id, billing_email, subtotal_cents, tax_cents, total_cents,
           released_at, released_as, created_at, updated_at)
         select $1, gen_random_uuid(), 'B-' || n, 'sending', c.id, c.billing_email, 12500 + n, 0, 12500 + n, at.at, 'sending', at.at, at.at
         from generate_series($2::int, $3::int) n
         cross join lateral (select now() - $5 * interval '1 month' * (1 - n::float8 / ($4 + 1)) as at) at
         join customers c on c.tenant_id = $1 and c.company_name = 'Payer ' || n / $6
         returning id, subtotal_cents)
       insert into invoice_line_items (tenant_id, invoice_id, position, id, name, category, quantity, unit_type, unit_price_cents,
         total_cents, taxable)
       select $1, a.id, l.position, gen_random_uuid(), l.name, l.category, 1, 'each', l.cents, l.cents, false
       from added a cross join lateral (
         values (1, 'Light-duty tow from the shoulder of I-87', 'tow', 12500), (2, 'Storage', 'storage', a.subtotal_cents - 12500)
       ) l(position, name, category, cents)`,
      [tenantId, first, Math.min(first + INSERTED_TOGETHER - 1, invoices), invoices, months, PER_CUSTOMER],
    );
}

export interface BackfillOptions {
  invoices: number;
  months: number;
  kills: number;
  seed: string;
  timeoutMs: number;
}

export interface BackfillResult {
  /** The numbers of invoices in the books at which the worker was killed. */
  killedAt: number[];
  seconds: number;
  /** The highest memory of a worker process in MB. */
  peakMb: number;
}

/**
 * Enters released invoices in the books, as an account does that has connected its books. Kills the
 * worker at moments that follow from the seed, and starts another one each time.
 */
export async function runBackfill(
  account: BooksAccount<unknown>,
  workers: KillableWorkers,
  { invoices, months, kills, seed, timeoutMs }: BackfillOptions,
): Promise<BackfillResult> {
  const startedAt = performance.now();
  const moments = drawMoments(seed, { kills, invoices });
  const killedAt: number[] = [];
  let peakMb = 0;
  let worker = await workers.startProcess('', { LIFTS_LIMITS: 'true', LOG_LEVEL: 'warn' });
  await syncSince(account, months);
  for (const moment of moments) {
    await eventually(
      `${moment} invoices are in the books`,
      () => account.bookkeeper.countInvoices() >= moment,
      timeoutMs,
    );
    peakMb = Math.max(peakMb, readPeakMb(worker));
    worker.signal('SIGKILL');
    await worker.waitForExit();
    killedAt.push(account.bookkeeper.countInvoices());
    worker = await workers.startProcess('', { LIFTS_LIMITS: 'true', LOG_LEVEL: 'warn' });
    await workers.endLeases(account.tenant.id);
    await account.wake();
  }
  await account.waitForWrites(timeoutMs);
  peakMb = Math.max(peakMb, readPeakMb(worker));
  return { killedAt, seconds: (performance.now() - startedAt) / 1000, peakMb };
}

/** Draws the numbers of entered invoices at which the worker is killed, the lowest one first. */
function drawMoments(seed: string, { kills, invoices }: { kills: number; invoices: number }): number[] {
  const draw = (nth: number) =>
    createHash('sha256').update(`${seed}/${nth}`).digest().readUInt32BE(0) / 2 ** 32;
  const moments = Array.from({ length: kills }, (_, nth) => 1 + Math.floor(draw(nth) * (invoices - 1)));
  return moments.sort((a, b) => a - b);
}

/** Lets the account enter all that was released since then, page by page. */
async function syncSince({ client, connectionId }: BooksAccount<unknown>, months: number): Promise<void> {
  const start = new Date(Date.now() - (months + 1) * 31 * 86_400_000).toISOString();
  for (let since: string | null = start; since !== null; ) {
    const { status, body }: { status: number; body: Json } = await client.post(
      `/connections/${connectionId}/sync`,
      { since },
    );
    if (status !== 200) throw new Error(`the sync responded ${status}: ${JSON.stringify(body)}`);
    since = body.next_since;
  }
}

function readPeakMb({ pid }: TestProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

export interface BookedCounts {
  /** Invoices here, and different invoices of ours in the books. */
  ours: number;
  inBooks: number;
  /** Our invoices that are in the books more than once, or not at all. */
  doubled: number;
  skipped: number;
  /** Invoices that are linked to a record in the books. */
  linked: number;
  /** Invoices whose total differs. */
  wrong: number;
}

/** Counts both sides, and matches each invoice by our id, which the record in the books names. */
export async function countBooked({
  stack,
  tenant,
  connectionId,
  bookkeeper,
}: BooksAccount<unknown>): Promise<BookedCounts> {
  const ours = await stack.rows<{ id: string; total_cents: number; external_id: string | null }>(
    tenant.id,
    `select i.id, i.total_cents::float8 as total_cents, x.external_id from invoices i
     left join external_ids x on x.tenant_id = i.tenant_id and x.connection_id = $2 and x.kind = 'invoice' and x.local_id = i.id
     where i.tenant_id = $1`,
    [tenant.id, connectionId],
  );
  const theirs = new Map<string | null, SeenInvoice[]>();
  for (const invoice of bookkeeper.listInvoices())
    theirs.set(invoice.ownId, [...(theirs.get(invoice.ownId) ?? []), invoice]);
  const pairs = ours.map((our) => ({ our, records: theirs.get(our.id) ?? [] }));
  return {
    ours: ours.length,
    inBooks: theirs.size,
    doubled: pairs.filter(({ records }) => records.length > 1).length,
    skipped: pairs.filter(({ records }) => records.length === 0).length,
    linked: pairs.filter(({ our, records }) => our.external_id !== null && our.external_id === records[0]?.id)
      .length,
    wrong: pairs.filter(({ our, records }) => records[0]?.totalCents !== our.total_cents).length,
  };
}
