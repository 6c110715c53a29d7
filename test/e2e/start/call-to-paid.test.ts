import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { withFastClock } from '../../support/fast-clock.js';
import { PROJECT } from '../../support/load/processes.js';
import { useStack } from '../../support/use-stack.js';

const run = promisify(execFile);

describe('docs/from-call-to-paid.sh', () => {
  const stack = useStack({ clock: true });

  it('the script takes a work order from call to payment; database, audit log and all eight event types agree', async () => {
    const tenant = await stack.createTenant();
    const demo = join(await mkdtemp(join(tmpdir(), 'tow-call-')), 'demo.json');
    const api_key = await stack.createKey(tenant.id);
    await writeFile(demo, JSON.stringify({ api_url: `${stack.origin}/v1`, tenants: [{ api_key }] }));
    const { stdout } = await withFastClock(stack, () =>
      run('bash', ['docs/from-call-to-paid.sh', demo, '7'], { cwd: PROJECT }),
    );
    const [summary, idLine] = stdout.trim().split('\n') as [string, string];
    expect(summary).to.equal('work order paid, invoice paid, customer owes 0 cents');
    const [workOrderId, invoiceId, secondInvoiceId] = idLine.split(' ') as [string, string, string];
    const [money] = await stack.rows<Record<string, number>>(
      tenant.id,
      `select total_cents::int as total, paid_cents::int as paid,
         (select sum(applied_cents)::int from payments p where p.invoice_id = i.id) as applied
       from invoices i where id = '${invoiceId}'`,
    );
    expect(money).to.deep.equal({ total: 15_875, paid: 15_875, applied: 15_875 });
    const events = await stack.rows<{ type: string }>(
      tenant.id,
      `select type from events where body::jsonb #>> '{data,object,id}' in ('${workOrderId}', '${invoiceId}', '${secondInvoiceId}')
         or body::jsonb #>> '{data,object,entity_id}' = '${secondInvoiceId}' order by id`,
    );
    expect(events.map(({ type }) => type)).to.deep.equal([
      'work_order.created',
      'dispatch.assigned',
      'work_order.completed',
      'invoice.created',
      'invoice.sent',
      'invoice.paid',
      'invoice.paid',
      'invoice.created',
      'ai.suggestion.created',
      'invoice.sent',
      'invoice.overdue',
    ]);
    expect(
      new Set(events.map(({ type }) => type)).size,
      'the eight event types of the specification',
    ).to.equal(8);
    // Leave out `suggestion.expired`, because the clock records it some time after the invoice is
    // void.
    const entries = await stack.rows<{ action: string }>(
      tenant.id,
      `select action from audit_entries where outcome = 'ok' and entity_type <> 'tenant' and action <> 'suggestion.expired' order by id`,
    );
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'customer.created',
      'driver.created',
      'truck.created',
      'work_order.created',
      'work_order.assigned',
      ...Array(4).fill('work_order.step_logged'),
      'work_order.started',
      'work_order.completed',
      'invoice.created',
      'invoice.approved',
      'invoice.sent',
      'payment.created',
      'payment.created',
      'invoice.created',
      'suggestion.created',
      'invoice.approved',
      'invoice.sent',
      'invoice.overdue_marked',
      'invoice.voided',
    ]);
  });
});
