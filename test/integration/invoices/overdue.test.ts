import { expect } from 'chai';
import { findOverdueInvoices } from '../../../shared/resources/invoices/overdue-sweep.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { TestClient } from '../../support/client.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';

const DAY_MS = 86_400_000;

describe('overdue invoices', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let client: TestClient;

  before(async () => {
    client = stack.createClient(
      await stack.createKey(tenant.id, { permissions: ['read', 'write', 'approve'] }),
    );
  });

  /**
   * Creates and sends an invoice that is due in `days` days, or has no due date if `days` is null.
   */
  async function createSent(days: number | null): Promise<string> {
    const due_date = days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString();
    const { body } = await client.post(
      '/invoices',
      invoiceInput({ billing_email: 'b@example.com', due_date }),
    );
    await client.post(`/invoices/${body.id}/approve`, {});
    await client.post(`/invoices/${body.id}/send`, {});
    return body.id;
  }

  async function readStatus(id: string): Promise<string> {
    return (await client.get(`/invoices/${id}`)).body.status;
  }

  async function listEventTypes(id: string): Promise<string[]> {
    const rows = await stack.runtime.db.read<{ type: string }>(tenant.id, {
      text: `select type from events where tenant_id = $1 and body::jsonb -> 'data' -> 'object' ->> 'id' = $2 order by id`,
      values: [tenant.id, id],
    });
    return rows.map(({ type }) => type);
  }

  /**
   * Runs the overdue sweep as the clock does, and returns the ids of the invoices that it found.
   */
  async function sweep(): Promise<string[]> {
    const { db } = stack.runtime;
    const found = await db.transaction([tenant.id], (tx) => findOverdueInvoices(tx, 100));
    await runIsolated(createBatchContext(stack.runtime), found);
    return found.map((command) => command.entityId);
  }

  it('the clock marks an invoice overdue once, after its due date', async () => {
    const [late, future, open] = [await createSent(-2), await createSent(300), await createSent(null)];
    expect(await sweep()).to.deep.equal([late]);
    expect(await readStatus(late)).to.equal('overdue');
    expect(await sweep()).to.deep.equal([]);
    expect(await listEventTypes(late)).to.deep.equal(['invoice.created', 'invoice.sent', 'invoice.overdue']);
    for (const id of [future, open]) expect(await readStatus(id)).to.equal('sending');
    // A partial payment leaves the invoice overdue.
    await client.post(`/invoices/${late}/payments`, { amount_cents: 1, method: 'cash' });
    expect(await readStatus(late)).to.equal('overdue');
    // An invoice without a due date becomes overdue when the account's payment terms have passed.
    await stack.rows(tenant.id, `update tenants set terms_days = 0 where tenant_id = '${tenant.id}'`);
    expect(await sweep()).to.include(open);
    await stack.rows(tenant.id, `update tenants set terms_days = 30 where tenant_id = '${tenant.id}'`);
  });

  it('PATCH of due_date returns an overdue invoice to its former status, and the clock can mark it overdue again', async () => {
    const [untouched, partlyPaid] = [await createSent(-2), await createSent(-2)];
    await client.post(`/invoices/${partlyPaid}/payments`, { amount_cents: 1, method: 'cash' });
    await sweep();
    const dueIn = (days: number) => ({ due_date: new Date(Date.now() + days * DAY_MS).toISOString() });
    // This new due date has passed too, so the invoice stays overdue.
    expect((await client.patch(`/invoices/${untouched}`, dueIn(-1.5))).body.status).to.equal('overdue');
    expect((await client.patch(`/invoices/${untouched}`, dueIn(10))).body.status).to.equal('sending');
    expect((await client.patch(`/invoices/${partlyPaid}`, { due_date: null })).body.status).to.equal(
      'partially_paid',
    );
    const [entry] = await stack.runtime.db.read<{ changes: { field: string; from: unknown; to: unknown }[] }>(
      tenant.id,
      {
        text: `select changes from audit_entries where tenant_id = $1 and entity_id = $2 order by id desc limit 1`,
        values: [tenant.id, partlyPaid],
      },
    );
    expect(entry?.changes.at(-1)).to.deep.equal({ field: 'status', from: 'overdue', to: 'partially_paid' });
    await client.patch(`/invoices/${untouched}`, dueIn(-2));
    expect(await sweep()).to.deep.equal([untouched]);
    expect((await listEventTypes(untouched)).filter((type) => type === 'invoice.overdue')).to.have.length(2);
  });
});
