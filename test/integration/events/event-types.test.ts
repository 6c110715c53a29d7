import { expect } from 'chai';
import { TRIGGERABLE_TYPES } from '../../../bin/commands/trigger/recipes.js';
import { BUSINESS_EVENT_TYPES, EVENT_TYPES } from '../../../shared/contracts/vocabulary.js';
import { findOverdueInvoices } from '../../../shared/resources/invoices/overdue-sweep.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { createInvoiceAfter, createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import { storeSuggestion } from '../../support/records/suggestions.js';
import { findBodyProblems } from '../../support/text/event-schemas.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';

const LINE_ITEM = {
  name: 'Loaded miles',
  description: null,
  category: 'mileage',
  quantity: 12,
  unit_type: 'mile',
  unit_price_cents: 450,
  total_cents: 5_400,
  taxable: true,
};

describe('GET /event-types', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  it('GET /event-types lists every type in one page, each equal to GET /event-types/{type}', async () => {
    const { body } = await tenant.client.get('/event-types');
    expect(body.data).to.include({ cursor: null, count: EVENT_TYPES.length });
    expect(body.data.items.map(({ type }: { type: string }) => type)).to.deep.equal([...EVENT_TYPES]);
    for (const item of body.data.items) {
      expect((await tenant.client.get(`/event-types/${item.type}`)).body).to.deep.equal(item);
      expect(item.operational, item.type).to.equal(!BUSINESS_EVENT_TYPES.includes(item.type));
    }
  });

  it('GET /event-types/{type} returns 404 for an unknown type', async () => {
    for (const type of ['invoice.nothing', 'invoice.*', '*', 'INVOICE.PAID', 'constructor'])
      expectError(await tenant.client.get(`/event-types/${type}`), 404, 'not_found');
  });

  /**
   * Sends requests that record every event type of docs/specification.md §6, in every form that the
   * event's body can have.
   */
  async function recordEveryEvent(): Promise<void> {
    const { client } = tenant;
    const driver = (await client.post('/drivers', { name: 'Dan' })).body.id;
    const workOrderId = await createWorkOrderAfter(client, ['assign', 'start', 'complete']);
    const truck = { unit_number: 'T-1', duty_class: 'light', driver_id: driver };
    const truckWithDriver = (await client.post('/trucks', truck)).body.id;
    await client.post(`/work-orders/${await createWorkOrderAfter(client, [])}/assign`, {
      truck_id: truckWithDriver,
    });
    const due_date = new Date(Date.now() - 100 * 86_400_000).toISOString();
    const invoice = await createInvoiceAfter(client, ['approve', 'send'], {
      work_order_id: workOrderId,
      due_date,
    });
    const found = await stack.runtime.db.transaction([tenant.id], (tx) => findOverdueInvoices(tx, 100));
    await runIsolated(createBatchContext(stack.runtime), found);
    const payment = { amount_cents: 5_000, method: 'cash' };
    for (const _of of [1, 2]) await client.post(`/invoices/${invoice}/payments`, payment);
    await storeSuggestion(stack, tenant.id, {
      kind: 'missed_fee',
      detector: 'missed_mileage',
      entity_id: invoice,
      invoice_id: invoice,
      proposed_lines: [LINE_ITEM],
    });
    await storeSuggestion(stack, tenant.id, { entity_id: workOrderId, entity_type: 'work_order' });
  }

  it('the body of every recorded event matches its schema in GET /event-types/{type}, member for member', async () => {
    await recordEveryEvent();
    const rows = await eventually('every type is recorded', async () => {
      const text = 'select type, body from events where tenant_id = $1 order by id';
      const found = await stack.rows<{ type: string; body: string }>(tenant.id, text, [tenant.id]);
      const types = found.map(({ type }) => type);
      return TRIGGERABLE_TYPES.every((type) => types.includes(type)) && found;
    });
    const bodies = rows.map(({ body }) => JSON.parse(body));
    const bodiesOfType = (type: string) => bodies.filter((body) => body.type === type);
    expect(bodiesOfType('dispatch.assigned').map(({ data }) => data.driver?.name ?? null)).to.deep.equal([
      null,
      'Dan',
    ]);
    expect(bodiesOfType('invoice.paid').map(({ data }) => data.fully_paid)).to.deep.equal([false, true]);
    for (const body of bodies) {
      const { schema } = (await tenant.client.get(`/event-types/${body.type}`)).body;
      expect(findBodyProblems(schema, body), body.type).to.deep.equal([]);
    }
  });
});
