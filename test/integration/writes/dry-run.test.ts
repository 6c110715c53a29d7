import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { endpointInput, invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

/**
 * Every table that a write can change. Only audit_entries is missing, because a dry run adds an
 * entry to it.
 */
const TABLES = [
  'customers',
  'work_orders',
  'invoices',
  'invoice_line_items',
  'api_keys',
  'tenant_counters',
  'events',
  'idempotency_keys',
  'operations',
  'command_attempts',
  'webhook_endpoints',
  'webhook_secrets',
  'webhook_lanes',
];

interface Entry {
  outcome: string;
  action: string;
  entity_type: string;
  entity_id: string;
  response_status: number;
  error: { code: string } | null;
}

describe('dry runs of writes', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Rehearsals', { taxRateBps: 825 });
  const ids: Record<string, string> = {};

  before(async () => {
    const { client } = tenant;
    ids.invoice = (await client.post('/invoices', invoiceInput({ invoice_number: 'TAKEN-1' }))).body.id;
    ids.order = (await client.post('/work-orders', { service_type: 'tow' })).body.id;
    ids.customer = (await client.post('/customers', { company_name: 'C' })).body.id;
    ids.key = (await client.post('/api-keys', { name: 'k' })).body.id;
    ids.endpoint = (await client.post('/webhook-endpoints', endpointInput())).body.id;
  });

  const fillPath = (path: string) => path.replace(/\{(\w+)\}/, (_, name: string) => ids[name] ?? name);

  /** Returns all rows as one text, without last_used_at, which changes with each request. */
  const readAllRows = async (): Promise<string> => {
    const texts = TABLES.map((table) => {
      const text = `select coalesce(jsonb_agg(to_jsonb(t) - 'last_used_at' order by to_jsonb(t)::text), '[]')::text as all from ${table} t`;
      return stack.rows<{ all: string }>(tenant.id, text);
    });
    return JSON.stringify(await Promise.all(texts));
  };
  const readNewestEntry = async (): Promise<Entry | undefined> => {
    const [entry] = await stack.rows<Entry>(
      tenant.id,
      'select * from audit_entries order by occurred_at desc, id desc limit 1',
    );
    return entry;
  };
  const countEntries = async (): Promise<number> => {
    const [row] = await stack.rows<{ count: number }>(
      tenant.id,
      'select count(*)::int as count from audit_entries',
    );
    return row?.count ?? -1;
  };

  const lineItemInput = lineItem({ taxable: true });
  const WRITES: [
    method: string,
    path: string,
    body: unknown,
    expected: Record<string, unknown>,
    action: string,
  ][] = [
    [
      'POST',
      '/invoices',
      { invoice_number: 'NEW-1', line_items: [lineItemInput] },
      { invoice_number: 'NEW-1', total_cents: 10_825 },
      'invoice.created',
    ],
    [
      'PATCH',
      '/invoices/{invoice}',
      { notes: 'dry', line_items: [lineItemInput] },
      { notes: 'dry', tax_cents: 825 },
      'invoice.updated',
    ],
    [
      'POST',
      '/work-orders',
      { service_type: 'lockout' },
      { service_type: 'lockout', job_number: 'WO-000002' },
      'work_order.created',
    ],
    [
      'PATCH',
      '/work-orders/{order}',
      { vin: 'v1' },
      { vin: 'V1', job_number: 'WO-000001' },
      'work_order.updated',
    ],
    [
      'POST',
      '/customers',
      { company_name: 'New' },
      { company_name: 'New', company_type: 'other' },
      'customer.created',
    ],
    [
      'PATCH',
      '/customers/{customer}',
      { is_active: false },
      { is_active: false, company_name: 'C' },
      'customer.updated',
    ],
    ['POST', '/api-keys', { name: 'dry' }, { name: 'dry', key: null, revoked_at: null }, 'api_key.created'],
    ['POST', '/api-keys/{key}/roll', { overlap_hours: 0 }, { name: 'k', key: null }, 'api_key.rolled'],
    ['DELETE', '/api-keys/{key}', undefined, { name: 'k' }, 'api_key.revoked'],
    [
      'POST',
      '/webhook-endpoints',
      endpointInput({ headers: { 'x-a': 'b' } }),
      { secret: null, enabled: true },
      'webhook_endpoint.created',
    ],
    [
      'POST',
      '/webhook-endpoints/{endpoint}/rotate-secret',
      { overlap_hours: 0 },
      { secret: null },
      'webhook_endpoint.secret_rotated',
    ],
    [
      'PATCH',
      '/webhook-endpoints/{endpoint}',
      { enabled: false, asymmetric: true },
      { disabled_reason: 'user', asymmetric: true },
      'webhook_endpoint.updated',
    ],
    ['DELETE', '/webhook-endpoints/{endpoint}', undefined, { enabled: false }, 'webhook_endpoint.deleted'],
  ];

  for (const [method, path, body, expected, action] of WRITES) {
    it(`a dry run of ${method} ${path} previews the response, echoes the header and stores only its audit entry`, async () => {
      const [before, entries] = [await readAllRows(), await countEntries()];
      const headers = { ...DRY_RUN.headers, 'idempotency-key': randomUUID() };
      const response = await tenant.client.call(method, fillPath(path), { body, headers });
      expect(response.status, response.text).to.equal(200);
      expect(response.headers['x-service-dry-run']).to.equal('true');
      expect(response.headers).to.not.have.any.keys('location', 'x-idempotency-replay');
      expect(Object.keys(response.body)).to.deep.equal(['ok', 'dry_run', 'data', 'warnings']);
      expect(response.body).to.deep.include({ ok: true, dry_run: true, warnings: [] });
      expect(response.body.data).to.include(expected);
      expect(await readAllRows()).to.equal(before);
      expect(await countEntries()).to.equal(entries + 1);
      expect(await readNewestEntry()).to.include({
        outcome: 'dry_run',
        action,
        entity_id: response.body.data.id,
      });
    });
  }

  it('a dry run returns the same members as the real response', async () => {
    const body = invoiceInput();
    const preview = (await tenant.client.post('/invoices', body, DRY_RUN)).body.data;
    const real = (await tenant.client.post('/invoices', body)).body;
    expect(Object.keys(preview)).to.deep.equal(Object.keys(real));
    const { id: _id, created_at: _created, updated_at: _updated, line_items: _lines, ...rest } = preview;
    expect(real).to.deep.include(rest);
    expect((await tenant.client.get(`/invoices/${preview.id}`)).status).to.equal(404);
  });

  it('a dry run of revoking an API key leaves the key working', async () => {
    const created = (await tenant.client.post('/api-keys', { name: 'spared' })).body;
    const response = await tenant.client.delete(`/api-keys/${created.id}`, DRY_RUN);
    expect(response.body.data.revoked_at).to.be.a('string');
    expect((await stack.createClient(created.key).get('/me')).status).to.equal(200);
    expect((await tenant.client.get(`/api-keys/${created.id}`)).body.revoked_at).to.equal(null);
  });

  it('a dry run uses no job number: the next work order gets the previewed one', async () => {
    const previews = await Promise.all(
      Array.from({ length: 3 }, () => tenant.client.post('/work-orders', { service_type: 'tow' }, DRY_RUN)),
    );
    const numbers = new Set(previews.map((response) => response.body.data.job_number));
    expect([...numbers]).to.have.length(1);
    const real = await tenant.client.post('/work-orders', { service_type: 'tow' });
    expect(numbers.has(real.body.job_number)).to.equal(true);
  });

  it('a dry run that fails returns the same error as the real request, and is audited as a dry run', async () => {
    const failures: [string, string, unknown, number, string][] = [
      ['POST', '/invoices', { invoice_number: 'taken-1' }, 409, 'duplicate_invoice_number'],
      ['POST', '/invoices', invoiceInput({ customer_id: randomUUID() }), 400, 'validation_error'],
      ['PATCH', '/invoices/{invoice}', { status: 'paid' }, 409, 'invalid_status_transition'],
      ['PATCH', '/customers/00000000-0000-7000-8000-000000000000', {}, 404, 'not_found'],
      ['POST', '/work-orders', { service_type: 'tow', customer_id: randomUUID() }, 400, 'validation_error'],
    ];
    const before = await readAllRows();
    for (const [method, path, body, status, code] of failures) {
      const dryRun = await tenant.client.call(method, fillPath(path), { body, ...DRY_RUN });
      expectError(dryRun, status, code);
      expect(await readNewestEntry()).to.deep.include({ outcome: 'dry_run', response_status: status });
      const real: TestResponse = await tenant.client.call(method, fillPath(path), { body });
      const { requestId: _one, ...expected } = real.body.error;
      const { requestId: _two, ...error } = dryRun.body.error;
      expect(error).to.deep.equal(expected);
    }
    expect(await readAllRows()).to.equal(before);
  });

  it('a dry run refused for its body or permissions is refused before it runs, and is not audited', async () => {
    const entries = await countEntries();
    expectError(await tenant.client.post('/invoices', {}, DRY_RUN), 400, 'validation_error');
    const reader = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read'] }));
    expectError(await reader.post('/invoices', invoiceInput(), DRY_RUN), 403, 'insufficient_scope');
    expect(await countEntries()).to.equal(entries);
  });

  for (const value of ['TRUE', 'True', '1', 'yes', 'false', '', 'true, true']) {
    it(`the header X-Service-Dry-Run with the value "${value}" gets 400, and nothing is written`, async () => {
      const before = await readAllRows();
      for (const [method, path, body] of WRITES) {
        const response = await tenant.client.call(method, fillPath(path), {
          body,
          headers: { 'x-service-dry-run': value },
        });
        const details = expectError(response, 400, 'validation_error');
        expect(details.map(({ field }) => field)).to.deep.equal(['X-Service-Dry-Run']);
      }
      expect(await readAllRows()).to.equal(before);
    });
  }
});
