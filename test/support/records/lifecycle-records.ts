import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { TestClient } from '../client.js';
import type { TestStack } from '../stack.js';
import { addPhoto } from './pictures.js';
import {
  endpointInput,
  invoiceInput,
  recurringInvoiceInput,
  remittanceInput,
  scheduleInput,
} from './samples.js';

async function createRecord(
  client: TestClient,
  path: string,
  body: Record<string, unknown>,
): Promise<string> {
  const response = await client.post(path, body);
  expect(response.status, response.text).to.be.oneOf([200, 201, 202]);
  return response.body.id;
}

/**
 * Creates an invoice, then takes these actions on it in order, such as `approve`. Returns the
 * invoice's id.
 */
export async function createInvoiceAfter(
  client: TestClient,
  actions: readonly string[],
  overrides: Record<string, unknown> = {},
): Promise<string> {
  const id = await createRecord(
    client,
    '/invoices',
    invoiceInput({ billing_email: 'billing@example.com', ...overrides }),
  );
  for (const action of actions) await createRecord(client, `/invoices/${id}/${action}`, { reason: 'test' });
  return id;
}

/**
 * Creates a work order, then takes these actions on it in order. `assign` assigns a new truck.
 * Returns the work order's id.
 */
export async function createWorkOrderAfter(client: TestClient, actions: readonly string[]): Promise<string> {
  const id = await createRecord(client, '/work-orders', { service_type: 'tow' });
  for (const action of actions) {
    const truck = { unit_number: newId().slice(-12), duty_class: 'light' };
    const body = action === 'assign' ? { truck_id: await createRecord(client, '/trucks', truck) } : {};
    await createRecord(client, `/work-orders/${id}/${action}`, body);
  }
  return id;
}

/**
 * Creates an impound that began on 2026-01-01, then takes these actions on it in order. Returns the
 * impound's id.
 */
export async function createImpoundAfter(client: TestClient, actions: readonly string[]): Promise<string> {
  const id = await createRecord(client, '/impounds', {
    impounded_at: '2026-01-01T12:00:00Z',
    daily_rate_cents: 4500,
  });
  for (const action of actions) await createRecord(client, `/impounds/${id}/${action}`, { reason: 'test' });
  return id;
}

/**
 * Creates a claim on a new, approved invoice, then takes these actions in order.
 * `outcome:<outcome>` records the club's outcome. `invoice/<action>` acts on the claim's invoice
 * instead of the claim.
 */
export async function createClaimAfter(
  client: TestClient,
  actions: readonly string[] = [],
  { invoice, ...overrides }: { invoice?: Record<string, unknown> } & Record<string, unknown> = {},
): Promise<{ id: string; invoice_id: string }> {
  const invoiceId = await createInvoiceAfter(client, ['approve'], invoice);
  const claim = { invoice_id: invoiceId, club: 'Interstate Motor Club', ...overrides };
  const { body } = await client.post('/claims', claim);
  for (const action of actions) {
    const [path, outcome] = action.split(':');
    const requestPath = action.startsWith('invoice/')
      ? `/invoices/${invoiceId}/${action.slice(8)}`
      : `/claims/${body.id}/${path}`;
    await createRecord(
      client,
      requestPath,
      outcome ? { outcome, code: 'not_covered', amount_cents: 4_000 } : { reason: 'test' },
    );
  }
  return body;
}

/**
 * The actions that must precede each operation on a record. An operation that is not listed works
 * on a new record.
 */
const REQUIRED_ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'POST /work-orders/{id}/start': ['assign'],
  'POST /work-orders/{id}/steps': ['assign'],
  'POST /work-orders/{id}/unassign': ['assign'],
  'POST /work-orders/{id}/complete': ['assign', 'start'],
  'POST /invoices/{id}/send': ['approve'],
  'POST /invoices/{id}/return': ['approve'],
  'POST /invoices/{id}/dispute': ['approve', 'send'],
  'POST /invoices/{id}/resolve': ['approve', 'send', 'dispute'],
  'POST /invoices/{id}/void': ['approve', 'send'],
  'POST /invoices/{id}/payments': ['approve'],
  'POST /invoices/{id}/pay-link': ['approve'],
  'POST /invoices/{id}/terminal-payments': ['approve'],
  'POST /impounds/{id}/unhold': ['hold'],
  'POST /claims/{id}/rebill': ['submit', 'outcome:denied', 'invoice/approve'],
  'POST /claims/{id}/outcome': ['submit'],
};

/**
 * Creates a record in the state that an operation needs, and returns its id. Returns undefined if
 * any record will do.
 */
export async function createRecordFor(operation: string, client: TestClient): Promise<string | undefined> {
  const actions = REQUIRED_ACTIONS[operation] ?? [];
  if (operation.startsWith('POST /work-orders/{id}/')) return createWorkOrderAfter(client, actions);
  if (operation.startsWith('POST /invoices/{id}/')) return createInvoiceAfter(client, actions);
  if (operation.startsWith('POST /impounds/{id}/')) return createImpoundAfter(client, actions);
  if (operation.startsWith('POST /claims/{id}/')) return (await createClaimAfter(client, actions)).id;
  if (operation === 'POST /payments/{id}/refund') {
    const invoice = await createInvoiceAfter(client, ['approve']);
    return createRecord(client, `/invoices/${invoice}/payments`, { amount_cents: 10_000, method: 'cash' });
  }
  if (operation.startsWith('POST /approvals/{id}/')) {
    const invoice_id = await createInvoiceAfter(client, []);
    return createRecord(client, '/approvals', { invoice_id, justification: 'To be decided' });
  }
  if (operation.includes('/remittances/')) return createRecord(client, '/remittances', remittanceInput());
  if (operation === 'DELETE /photos/{id}') return addPhoto(client, await createWorkOrderAfter(client, []));
  if (operation.includes('/webhook-endpoints/'))
    return createRecord(client, '/webhook-endpoints', endpointInput());
  // Create no record for PATCH. Its body names a payment method that a new customer would not have.
  if (operation.includes('/recurring-invoices/') && !operation.startsWith('PATCH')) {
    const customer = await createRecord(client, '/customers', { company_name: 'Fleet' });
    return createRecord(client, '/recurring-invoices', recurringInvoiceInput(customer));
  }
  if (operation.includes('/export-schedules/'))
    return createRecord(client, '/export-schedules', scheduleInput());
  if (operation.includes('/exports/')) {
    const id = await createRecord(client, '/exports', { resource: 'customers', format: 'csv' });
    // Cancel the export. The operation can then retry the export, and a cancelled export does not
    // count against the limit on exports.
    await client.delete(`/exports/${id}`);
    return id;
  }
  if (operation.includes('/api-keys/')) return createRecord(client, '/api-keys', { name: 'spare' });
  if (operation.includes('/agent-keys/'))
    return createRecord(client, '/agent-keys', { name: 'spare', scopes: ['read_audit'] });
  return undefined;
}

/**
 * Inserts copies of a work order, with the numbers and so on. Each copy is a second newer
 * than the one before. Thousands of requests would take minutes.
 */
export async function copyWorkOrder(
  stack: TestStack,
  tenantId: string,
  { id, count }: { id: string; count: number },
): Promise<void> {
  const [columns] = await stack.rows<{ names: string }>(
    tenantId,
    `select string_agg(column_name, ', ') as names from information_schema.columns
     where table_name = 'work_orders' and column_name not in ('id', 'job_number', 'created_at') and is_generated = 'NEVER'`,
  );
  await stack.rows(
    tenantId,
    `insert into work_orders (id, job_number, created_at, ${columns?.names})
     select gen_random_uuid(), 'X-' || n, created_at + n * interval '1 second', ${columns?.names}
     from work_orders, generate_series(1, $3::int) n where tenant_id = $1 and id = $2`,
    [tenantId, id, count],
  );
}
