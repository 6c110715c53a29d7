import { expect } from 'chai';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { createBillingWatch } from '../../../workers/clock/watch-billing.js';
import type { StackOptions } from '../../support/stack.js';
import { useOwnStack, useTenant } from '../../support/use-stack.js';

/** Without the clock, only the test's passes scan. */
const NO_CLOCK: StackOptions = { clock: false };

/** Inserts approved invoices that changed in the last minute, one after the other. */
const INSERT = `insert into invoices (tenant_id, id, invoice_number, status, subtotal_cents, total_cents, created_at, updated_at)
  select $1, gen_random_uuid(), 'N-' || n, 'approved', 100, 100, t.at, t.at
  from generate_series(1, $2::int) n cross join lateral (select now() - interval '1 minute' + n * interval '1 ms' as at) t`;

describe('scans of changed invoices', () => {
  const stack = useOwnStack(NO_CLOCK);
  const busy = useTenant(stack, 'Busy');
  const [one, two] = [useTenant(stack, 'One'), useTenant(stack, 'Two')];

  it('one account with many changed invoices does not delay the others: each gets one scan in turn', async () => {
    // A scan reads 100 invoices.
    await stack.rows(busy.id, INSERT, [busy.id, 350]);
    for (const { id } of [one, two]) await stack.rows(id, INSERT, [id, 1]);
    // The scans of the busy account are the oldest ones, so it comes first.
    const mark = 'insert into detector_marks (tenant_id, looked_until) values ($1, $2)';
    await stack.rows(busy.id, mark, [busy.id, new Date(Date.now() - 3 * 3_600_000)]);
    for (const { id } of [one, two]) await stack.rows(id, mark, [id, new Date(Date.now() - 2 * 3_600_000)]);
    const watch = createBillingWatch(stack.runtime, openWritesQueue(stack.runtime), { passBudgetMs: 0 });
    const countScanned = async () => {
      const text = 'select count(*)::int as count from detector_looks where tenant_id = $1';
      const rows = await Promise.all([busy, one, two].map(({ id }) => stack.rows(id, text, [id])));
      return rows.map(([row]) => row?.count);
    };
    const counts: unknown[][] = [];
    for (let pass = 0; pass < 6; pass += 1) {
      await watch();
      counts.push(await countScanned());
    }
    expect(counts.slice(0, 3)).to.deep.equal([
      [100, 0, 0],
      [100, 1, 0],
      [100, 1, 1],
    ]);
    expect(counts.at(-1)).to.deep.equal([350, 1, 1]);
  });

  it('a pass with enough time scans all changes of all accounts', async () => {
    await stack.rows(busy.id, 'delete from detector_looks where tenant_id = $1', [busy.id]);
    await stack.rows(busy.id, 'delete from detector_marks where tenant_id = $1', [busy.id]);
    const watch = createBillingWatch(stack.runtime, openWritesQueue(stack.runtime), {
      passBudgetMs: 3_600_000,
    });
    expect((await watch()).scannedInvoices).to.equal(350);
  });
});
