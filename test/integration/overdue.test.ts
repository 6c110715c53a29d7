import { expect } from 'chai';
import { findOverdue } from '../../shared/resources/invoices/overdue-sweep.js';
import { runIsolated } from '../../workers/writes/isolate.js';
import { batchContextOf } from '../support/batch-context.js';
import type { TestClient } from '../support/client.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const DAY_MS = 86_400_000;

describe('an overdue invoice', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let client: TestClient;

  before(async () => {
    stack = await TestStack.start({ clock: false });
    tenant = await stack.createTenant();
    client = stack.clientWith(
      await stack.createKey(tenant.id, { permissions: ['read', 'write', 'approve'] }),
    );
  });
  after(() => stack.stop());

  /** An invoice that was sent. @param days until its due date */
  async function sent(days: number | null): Promise<string> {
    const due_date = days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString();
    const { body } = await client.post(
      '/invoices',
      invoiceInput({ billing_email: 'b@example.com', due_date }),
    );
    await client.post(`/invoices/${body.id}/approve`, {});
    await client.post(`/invoices/${body.id}/send`, {});
    return body.id;
  }

  async function statusOf(id: string): Promise<string> {
    return (await client.get(`/invoices/${id}`)).body.status;
  }

  async function eventsOf(id: string): Promise<string[]> {
    const rows = await stack.runtime.db.read<{ type: string }>(tenant.id, {
      text: `select type from events where tenant_id = $1 and body::jsonb -> 'data' -> 'object' ->> 'id' = $2 order by id`,
      values: [tenant.id, id],
    });
    return rows.map(({ type }) => type);
  }

  /** What the clock does. @returns the invoices it found */
  async function sweep(): Promise<string[]> {
    const { db } = stack.runtime;
    const found = await db.transaction([tenant.id], (tx) => findOverdue(tx, 100));
    await runIsolated(batchContextOf(stack.runtime), found);
    return found.map((command) => command.entityId);
  }

  it('is found by the clock once, after its day, time zone and grace', async () => {
    const [late, future, open] = [await sent(-2), await sent(300), await sent(null)];
    expect(await sweep()).to.deep.equal([late]);
    expect(await statusOf(late)).to.equal('overdue');
    expect(await sweep()).to.deep.equal([]);
    expect(await eventsOf(late)).to.deep.equal(['invoice.created', 'invoice.sent', 'invoice.overdue']);
    for (const id of [future, open]) expect(await statusOf(id)).to.equal('sending');
    // A part payment leaves it overdue; the rest pays it.
    await client.post(`/invoices/${late}/payments`, { amount_cents: 1, method: 'cash' });
    expect(await statusOf(late)).to.equal('overdue');
    // Grace and terms count too.
    await stack.rows(tenant.id, `update tenants set terms_days = 0 where tenant_id = '${tenant.id}'`);
    expect(await sweep()).to.include(open);
    await stack.rows(tenant.id, `update tenants set terms_days = 30 where tenant_id = '${tenant.id}'`);
  });

  it('is reopened as what it was when its due date is moved out, and found again when that has passed', async () => {
    const [untouched, partlyPaid] = [await sent(-2), await sent(-2)];
    await client.post(`/invoices/${partlyPaid}/payments`, { amount_cents: 1, method: 'cash' });
    await sweep();
    const dueIn = (days: number) => ({ due_date: new Date(Date.now() + days * DAY_MS).toISOString() });
    // Not far enough: it is late all the same.
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
    expect((await eventsOf(untouched)).filter((type) => type === 'invoice.overdue')).to.have.length(2);
  });
});
