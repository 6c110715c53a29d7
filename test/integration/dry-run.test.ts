import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { endpointInput, invoiceInput, lineItem } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

/** Everything a write could leave behind, but the audit entry that a rehearsal is meant to leave. */
const TABLES = [
  ...['customers', 'work_orders', 'invoices', 'invoice_line_items', 'api_keys', 'tenant_counters'],
  ...['events', 'idempotency_keys', 'operations', 'command_attempts'],
  ...['webhook_endpoints', 'webhook_secrets', 'webhook_lanes'],
];

interface Entry {
  outcome: string;
  action: string;
  entity_type: string;
  entity_id: string;
  response_status: number;
  error: { code: string } | null;
}

describe('a dry run', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const ids: Record<string, string> = {};

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Rehearsals', { taxRateBps: 825 });
    const { client } = tenant;
    ids.invoice = (await client.post('/invoices', invoiceInput({ invoice_number: 'TAKEN-1' }))).body.id;
    ids.order = (await client.post('/work-orders', { service_type: 'tow' })).body.id;
    ids.customer = (await client.post('/customers', { company_name: 'C' })).body.id;
    ids.key = (await client.post('/api-keys', { name: 'k' })).body.id;
    ids.endpoint = (await client.post('/webhook-endpoints', endpointInput())).body.id;
  });
  after(() => stack.stop());

  const at = (path: string) => path.replace(/\{(\w+)\}/, (_, name: string) => ids[name] ?? name);

  /** All rows of all tables as one text. last_used_at moves by itself. */
  const contents = async (): Promise<string> => {
    const texts = TABLES.map((table) => {
      const text = `select coalesce(jsonb_agg(to_jsonb(t) - 'last_used_at' order by to_jsonb(t)::text), '[]')::text as all from ${table} t`;
      return stack.rows<{ all: string }>(tenant.id, text);
    });
    return JSON.stringify(await Promise.all(texts));
  };
  const newestEntry = async (): Promise<Entry | undefined> => {
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

  const line = lineItem({ taxable: true });
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
      { invoice_number: 'NEW-1', line_items: [line] },
      { invoice_number: 'NEW-1', total_cents: 10_825 },
      'invoice.created',
    ],
    [
      'PATCH',
      '/invoices/{invoice}',
      { notes: 'dry', line_items: [line] },
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
    it(`of ${method} ${path} previews the answer, echoes the header and stores nothing but its audit entry`, async () => {
      const [before, entries] = [await contents(), await countEntries()];
      const headers = { ...DRY_RUN.headers, 'idempotency-key': randomUUID() };
      const answer = await tenant.client.call(method, at(path), { body, headers });
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.headers['x-service-dry-run']).to.equal('true');
      expect(answer.headers).to.not.have.any.keys('location', 'x-idempotency-replay');
      expect(Object.keys(answer.body)).to.deep.equal(['ok', 'dry_run', 'data', 'warnings']);
      expect(answer.body).to.deep.include({ ok: true, dry_run: true, warnings: [] });
      expect(answer.body.data).to.include(expected);
      expect(await contents()).to.equal(before);
      expect(await countEntries()).to.equal(entries + 1);
      expect(await newestEntry()).to.include({ outcome: 'dry_run', action, entity_id: answer.body.data.id });
    });
  }

  it('has the very members of the real answer', async () => {
    const body = invoiceInput();
    const preview = (await tenant.client.post('/invoices', body, DRY_RUN)).body.data;
    const real = (await tenant.client.post('/invoices', body)).body;
    expect(Object.keys(preview)).to.deep.equal(Object.keys(real));
    const { id: _id, created_at: _created, updated_at: _updated, line_items: _lines, ...rest } = preview;
    expect(real).to.deep.include(rest);
    expect((await tenant.client.get(`/invoices/${preview.id}`)).status).to.equal(404);
  });

  it('of a revocation leaves the key at work', async () => {
    const made = (await tenant.client.post('/api-keys', { name: 'spared' })).body;
    const answer = await tenant.client.delete(`/api-keys/${made.id}`, DRY_RUN);
    expect(answer.body.data.revoked_at).to.be.a('string');
    expect((await stack.clientWith(made.key).get('/me')).status).to.equal(200);
    expect((await tenant.client.get(`/api-keys/${made.id}`)).body.revoked_at).to.equal(null);
  });

  it('uses up no job number: the next real job gets the one that was previewed', async () => {
    const previews = await Promise.all(
      Array.from({ length: 3 }, () => tenant.client.post('/work-orders', { service_type: 'tow' }, DRY_RUN)),
    );
    const numbers = new Set(previews.map((answer) => answer.body.data.job_number));
    expect([...numbers]).to.have.length(1);
    const real = await tenant.client.post('/work-orders', { service_type: 'tow' });
    expect(numbers.has(real.body.job_number)).to.equal(true);
  });

  it('that is refused is refused like the real thing, and is audited as a dry run', async () => {
    const failures: [string, string, unknown, number, string][] = [
      ['POST', '/invoices', { invoice_number: 'taken-1' }, 409, 'duplicate_invoice_number'],
      ['POST', '/invoices', invoiceInput({ customer_id: randomUUID() }), 400, 'validation_error'],
      ['PATCH', '/invoices/{invoice}', { status: 'paid' }, 409, 'invalid_status_transition'],
      ['PATCH', '/customers/00000000-0000-7000-8000-000000000000', {}, 404, 'not_found'],
      ['POST', '/work-orders', { service_type: 'tow', customer_id: randomUUID() }, 400, 'validation_error'],
    ];
    const before = await contents();
    for (const [method, path, body, status, code] of failures) {
      const rehearsed = await tenant.client.call(method, at(path), { body, ...DRY_RUN });
      expectError(rehearsed, status, code);
      expect(await newestEntry()).to.deep.include({ outcome: 'dry_run', response_status: status });
      const real: Answer = await tenant.client.call(method, at(path), { body });
      const { requestId: _one, ...expected } = real.body.error;
      const { requestId: _two, ...error } = rehearsed.body.error;
      expect(error).to.deep.equal(expected);
    }
    expect(await contents()).to.equal(before);
  });

  it('that the body or the rights refuse is refused before anything is tried, and not audited', async () => {
    const entries = await countEntries();
    expectError(await tenant.client.post('/invoices', {}, DRY_RUN), 400, 'validation_error');
    const reader = stack.clientWith(await stack.createKey(tenant.id, { permissions: ['read'] }));
    expectError(await reader.post('/invoices', invoiceInput(), DRY_RUN), 403, 'insufficient_scope');
    expect(await countEntries()).to.equal(entries);
  });

  for (const value of ['TRUE', 'True', '1', 'yes', 'false', '', 'true, true']) {
    it(`is not asked for by "${value}": 400, and nothing is written in earnest`, async () => {
      const before = await contents();
      for (const [method, path, body] of WRITES) {
        const answer = await tenant.client.call(method, at(path), {
          body,
          headers: { 'x-service-dry-run': value },
        });
        const details = expectError(answer, 400, 'validation_error');
        expect(details.map(({ field }) => field)).to.deep.equal(['X-Service-Dry-Run']);
      }
      expect(await contents()).to.equal(before);
    });
  }
});
