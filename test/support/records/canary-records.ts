import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { RESOURCE_TABLES } from '../../../shared/registry/tables.js';
import type { TestClient } from '../client.js';
import { listDocumentedOperations, type OpenApiNode, resolveRef } from '../text/openapi-walk.js';
import { connectionAccess } from '../vendors/connection-rows.js';
import { createInvoiceAfter } from './lifecycle-records.js';
import {
  endpointInput,
  invoiceInput,
  lineItem,
  recurringInvoiceInput,
  remittanceInput,
  scheduleInput,
} from './samples.js';

/**
 * Kinds of records that {@link CREATIONS} leaves out. A key cannot create them, or their creation
 * needs more than a body.
 */
const MADE_ELSEWHERE = ['user', 'invitation', 'session', 'factor', 'webhook_replay', 'club_offer'];

/**
 * The kinds of records that a key can create by a POST to their collection, each with an example
 * body.
 */
const CREATIONS = Object.entries(RESOURCE_TABLES).flatMap(([kind, { collection }]) => {
  const body = listDocumentedOperations().find(({ name }) => name === `POST ${collection}`)?.body;
  return body && !MADE_ELSEWHERE.includes(kind) ? [{ kind, collection, ...body }] : [];
});

/** Copies an example body, and writes the canary into each member whose schema accepts any text. */
function fillTexts(example: unknown, schema: OpenApiNode, canary: string): Record<string, unknown> {
  const properties = (resolveRef(schema).properties ?? {}) as Record<string, OpenApiNode>;
  const filled = Object.entries(properties).flatMap(([name, member]) => {
    const isText = member.type === 'string' && !member.enum && !member.format && !member.pattern;
    return isText ? [[name, canary.slice(0, Number(member.maxLength ?? canary.length))]] : [];
  });
  return { ...(example as object), ...Object.fromEntries(filled) };
}

/**
 * Creates records of every kind whose texts contain `canary`, so that a test can find them in
 * responses to other accounts. The stack must have the vendors in TEST_VENDORS.
 * @returns the id of one record of each kind
 */
export async function createCanaryRecords(
  client: TestClient,
  { canary, isLive }: { canary: string; isLive: boolean },
): Promise<Record<string, string>> {
  const make = async (path: string, body: Record<string, unknown>): Promise<string> => {
    const made = await client.post(path, body);
    expect(made.status, made.text).to.be.oneOf([201, 202]);
    return made.body.id;
  };
  const ids: Record<string, string> = {};
  // Create two records of each kind, so that a page with one record has a next page.
  for (let round = 0; round < 2; round += 1) {
    ids.customer = await make('/customers', {
      company_name: canary,
      address: canary,
      primary_phone: canary.slice(0, 32),
    });
    ids.work_order = await make('/work-orders', {
      service_type: 'tow',
      notes: canary,
      customer_id: ids.customer,
    });
    ids.cancelled_work_order = await make('/work-orders', { service_type: 'tow' });
    const itsPath = `/work-orders/${ids.cancelled_work_order}`;
    await client.post(`${itsPath}/cancel`, { reason: 'customer', note: canary });
    ids.step = (await client.get(`${itsPath}/steps`)).body.data.items[0].id;
    const line_items = [lineItem({ name: canary })];
    ids.invoice = await make(
      '/invoices',
      invoiceInput({ notes: canary, po_number: canary, customer_id: ids.customer, line_items }),
    );
    ids.recurring_invoice = await make(
      '/recurring-invoices',
      recurringInvoiceInput(ids.customer, { description: canary.slice(0, 200), line_items }),
    );
    const billed = await createInvoiceAfter(client, ['approve'], { notes: canary });
    // Record two payments on one invoice, so that the invoice's own list of payments has a next
    // page too.
    for (let part = 0; part < 2; part += 1) {
      const payment = { amount_cents: 100, method: 'cash', reference: canary };
      ids.payment = await make(`/invoices/${billed}/payments`, payment);
    }
    ids.paid_invoice = billed;
    ids.claim = await make('/claims', { invoice_id: billed, club: canary });
    const lines = [{ amount_cents: 100, note: canary }];
    ids.remittance = await make('/remittances', remittanceInput({ payer: canary, lines }));
    ids.remittance_line = (await client.get('/remittance-lines?limit=1')).body.data.items[0].id;
    const proposed = { invoice_id: await createInvoiceAfter(client, []), justification: canary };
    ids.approval = await make('/approvals', proposed);
    await createInvoiceAfter(client, ['approve', 'send'], {
      billing_email: `${canary.replace(/[^\w-]/g, '')}@example.com`,
    });
    ids.message = (await client.get('/messages?limit=1')).body.data.items[0].id;
    ids.driver = await make('/drivers', { name: canary });
    const unit_number = canary.slice(-30) + round;
    ids.truck = await make('/trucks', { unit_number, duty_class: 'light', make: canary });
    const defects = [{ component: canary, severity: 'minor' }];
    ids.inspection = await make('/inspections', {
      kind: 'pre_trip',
      truck_id: ids.truck,
      notes: canary,
      defects,
    });
    ids.defect = (await client.get(`/inspections/${ids.inspection}`)).body.defects[0].id;
    const items = [{ category: 'hook_up', unit_type: 'flat', unit_price_cents: 7500, name: canary }];
    const card = { name: canary, effective_from: '2026-01-01', is_default: true, items };
    ids.rate_card = await make('/rate-cards', card);
    ids.impound = await make('/impounds', { daily_rate_cents: 4500, notes: canary });
    // Only the live account has users and invitations, not its sandbox.
    if (isLive) {
      ids.user = await make('/users', { name: canary, email: `${newId()}@example.com` });
      const email = `${canary.replace(/[^\w-]/g, '').slice(0, 60)}${round}@example.com`;
      ids.invitation = await make('/invitations', { email, role: 'viewer' });
    }
    const endpoint = { description: canary, headers: { 'x-canary': canary }, asymmetric: true };
    ids.webhook_endpoint = await make('/webhook-endpoints', endpointInput(endpoint));
    ids.connection = await make('/connections', {
      vendor: 'parrot_keys',
      label: canary,
      ...connectionAccess(canary, isLive),
    });
    ids.export = await make('/exports', { resource: 'invoices', format: 'csv', filters: { search: canary } });
    ids.export_schedule = await make('/export-schedules', scheduleInput({ filters: { search: canary } }));
    ids.api_key = await make('/api-keys', { name: canary, permissions: ['read'] });
    ids.agent_key = await make('/agent-keys', { name: canary, scopes: ['read_audit'] });
  }
  const made = new Set(Object.keys(ids));
  for (const { kind, collection, schema, example } of CREATIONS.filter(({ kind }) => !made.has(kind)))
    for (let round = 0; round < 2; round += 1)
      ids[kind] = await make(collection, fillTexts(example, schema, canary));
  return ids;
}
