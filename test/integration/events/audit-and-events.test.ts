import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

interface Entry {
  id: string;
  actor_id: string;
  outcome: string;
  changes: { field: string; from: unknown; to: unknown }[] | null;
  error: { code: string } | null;
}

interface EventRow {
  id: string;
  type: string;
  body: string;
}

describe('audit entries and events of writes', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let keyId: string;

  before(async () => {
    keyId = (await tenant.client.get('/me')).body.key.id;
  });

  const createOptions = (headers = {}) => ({
    headers: { 'x-request-id': `test-${randomUUID()}`, 'user-agent': 'audit-test/1.0', ...headers },
  });

  /** Finds the audit entries of a request by the request id in its response. */
  const findEntries = (response: TestResponse, owner = tenant.id): Promise<Entry[]> =>
    stack.rows<Entry>(owner, 'select * from audit_entries where request_id = $1', [
      response.headers['x-request-id'],
    ]);
  const findEntry = async (response: TestResponse, owner = tenant.id): Promise<Entry> => {
    const entries = await findEntries(response, owner);
    expect(entries, 'entries of one request').to.have.length(1);
    return entries[0] as Entry;
  };
  const findEvents = (id: string): Promise<EventRow[]> =>
    stack.rows<EventRow>(tenant.id, 'select id, type, body from events where body like $1', [`%${id}%`]);

  describe('the audit entry of a write', () => {
    it('the audit entry of a write names actor, action, record, changes and request', async () => {
      const idempotencyKey = randomUUID();
      const options = createOptions({ 'idempotency-key': idempotencyKey });
      const input = { company_name: 'Audited', terms_days: 10 };
      const response = await tenant.client.post('/customers', input, options);
      const entry = await findEntry(response);
      expect(entry).to.deep.include({
        tenant_id: tenant.id,
        actor_type: 'api_key',
        actor_id: keyId,
        actor_name: 'test key',
        action: 'customer.created',
        entity_type: 'customer',
        entity_id: response.body.id,
        outcome: 'ok',
        source: 'rest',
        tool: null,
        error: null,
        response_status: 201,
        request_id: options.headers['x-request-id'],
        idempotency_key: idempotencyKey,
        ip: '127.0.0.1',
        user_agent: 'audit-test/1.0',
      });
      expect(entry.changes).to.have.deep.members([
        { field: 'company_name', from: null, to: 'Audited' },
        { field: 'terms_days', from: null, to: 10 },
      ]);
    });

    const PATCHES: [string, string, () => unknown, object, object][] = [
      [
        '/invoices',
        'invoice',
        () => invoiceInput({ notes: 'a' }),
        { notes: 'b', po_number: null },
        { field: 'notes', from: 'a', to: 'b' },
      ],
      [
        '/work-orders',
        'work_order',
        () => ({ service_type: 'tow', vin: 'V1' }),
        { vin: 'v2' },
        { field: 'vin', from: 'V1', to: 'V2' },
      ],
      [
        '/customers',
        'customer',
        () => ({ company_name: 'a' }),
        { is_active: false },
        { field: 'is_active', from: true, to: false },
      ],
    ];
    for (const [path, entityType, body, patch, change] of PATCHES) {
      it(`POST and PATCH ${path} leave one audit entry each, and PATCH lists each change with its old and new value`, async () => {
        const created = await tenant.client.post(path, body(), createOptions());
        const id = created.body.id;
        expect(await findEntry(created)).to.include({
          action: `${entityType}.created`,
          entity_type: entityType,
          entity_id: id,
        });
        const patched = await tenant.client.patch(`${path}/${id}`, patch, createOptions());
        const entry = await findEntry(patched);
        expect(entry).to.include({
          action: `${entityType}.updated`,
          entity_type: entityType,
          entity_id: id,
          outcome: 'ok',
          response_status: 200,
        });
        expect(entry.changes).to.deep.equal([change]);
      });

      it(`a PATCH ${path} that changes nothing leaves an audit entry without changes`, async () => {
        const created = await tenant.client.post(path, body());
        const patched = await tenant.client.patch(`${path}/${created.body.id}`, {}, createOptions());
        expect((await findEntry(patched)).changes).to.deep.equal([]);
      });
    }

    it('the audit entry for 200 new or replaced line items holds a summary instead of the line items', async () => {
      const createLines = (name: string) =>
        Array(200).fill(lineItem({ name, description: 'd'.repeat(2000) }));
      const created = await tenant.client.post(
        '/invoices',
        invoiceInput({ line_items: createLines('Tow') }),
        createOptions(),
      );
      const line_items = createLines('Winch');
      const patched = await tenant.client.patch(
        `/invoices/${created.body.id}`,
        { line_items },
        createOptions(),
      );
      const summary = (name: string) => ({
        field: 'line_items',
        from: null,
        to: { count: 200, names: Array(10).fill(name), total_cents: 2_000_000 },
      });
      expect((await findEntry(created)).changes).to.deep.include(summary('Tow'));
      expect((await findEntry(patched)).changes).to.deep.equal([summary('Winch')]);
      for (const response of [created, patched])
        expect(JSON.stringify(await findEntry(response)).length).to.be.below(2000);
    });

    it('the audit entry for replaced line items names the member line_items', async () => {
      const { id } = (await tenant.client.post('/invoices', invoiceInput())).body;
      const line_items = [lineItem({ name: 'Winch' })];
      const patched = await tenant.client.patch(`/invoices/${id}`, { line_items }, createOptions());
      expect((await findEntry(patched)).changes?.map(({ field }) => field)).to.deep.equal(['line_items']);
    });

    it('audit entries for creating, rolling and revoking an API key never hold the key, sealed or plain', async () => {
      const created = await tenant.client.post('/api-keys', { name: 'secret' }, createOptions());
      const rolled = await tenant.client.post(`/api-keys/${created.body.id}/roll`, {}, createOptions());
      const revoked = await tenant.client.delete(`/api-keys/${created.body.id}`, createOptions());
      const actions = ['api_key.created', 'api_key.rolled', 'api_key.revoked'];
      for (const [index, response] of [created, rolled, revoked].entries()) {
        expect(response.status, response.text).to.be.oneOf([200, 201]);
        const entry = await findEntry(response);
        expect(entry).to.include({
          action: actions[index],
          entity_type: 'api_key',
          entity_id: response.body.id,
        });
        const text = JSON.stringify(entry);
        expect(text).to.not.include(created.body.key).and.not.include(rolled.body.key);
        expect(text).to.not.match(/material|sealed|key_hash|"v1\./);
      }
    });

    it("the audit entry of an agent's write names the agent", async () => {
      const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['write_work_orders'] });
      const client = stack.createClient(key);
      const response = await client.post('/work-orders', { service_type: 'tow' }, createOptions());
      const agentId = (await client.get('/me')).body.key.id;
      expect(await findEntry(response)).to.include({
        actor_type: 'agent',
        actor_id: agentId,
        source: 'rest',
      });
    });

    it('the audit entry of a failed write has the outcome failed, the error and no changes', async () => {
      const existing = (await tenant.client.post('/invoices', invoiceInput())).body;
      const failures: [string, string, unknown, string, string][] = [
        [
          'POST',
          '/invoices',
          { invoice_number: existing.invoice_number },
          'invoice.created',
          'duplicate_invoice_number',
        ],
        [
          'PATCH',
          `/invoices/${existing.id}`,
          { status: 'paid' },
          'invoice.updated',
          'invalid_status_transition',
        ],
        ['PATCH', `/customers/${randomUUID()}`, {}, 'customer.updated', 'not_found'],
        [
          'POST',
          '/work-orders',
          { service_type: 'tow', customer_id: randomUUID() },
          'work_order.created',
          'validation_error',
        ],
      ];
      for (const [method, path, body, action, code] of failures) {
        const response = await tenant.client.call(method, path, { body, ...createOptions() });
        const entry = await findEntry(response);
        expect(entry).to.include({
          action,
          outcome: 'failed',
          response_status: response.status,
          changes: null,
        });
        expect(entry.error?.code).to.equal(code);
      }
    });

    it('a replayed request leaves no second audit entry', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { company_name: 'Once' };
      const first = await tenant.client.post('/customers', body, createOptions(headers));
      const replay = await tenant.client.post('/customers', body, createOptions(headers));
      expect(await findEntries(replay)).to.deep.equal([]);
      const query = 'select id from audit_entries where entity_id = $1';
      expect(await stack.rows(tenant.id, query, [first.body.id])).to.have.length(1);
    });

    it('an audit entry is visible to its own tenant only', async () => {
      const other = await stack.createTenant('Other');
      const response = await tenant.client.post('/customers', { company_name: 'Mine' }, createOptions());
      expect(await findEntries(response, other.id)).to.deep.equal([]);
      expect(await findEntries(response)).to.have.length(1);
    });
  });

  describe('the event of a write', () => {
    /** Removes the links at the end of a work order, because events do not contain them. */
    const withoutLinksText = (text: string) => text.replace(/,"driver_url":[^{}]*\}$/, '}');
    const CREATIONS: [string, string, () => unknown][] = [
      ['/invoices', 'invoice.created', () => invoiceInput({ notes: 'quoted "é" ✓' })],
      [
        '/work-orders',
        'work_order.created',
        () => ({ service_type: 'tow', pickup: { lat: 40.5, lng: -74 } }),
      ],
    ];
    for (const [path, type, body] of CREATIONS) {
      for (const environment of ['live', 'sandbox'] as const) {
        it(`${type} of a ${environment} tenant has the published body, with the object byte for byte as in the response`, async () => {
          const owner = environment === 'live' ? tenant.id : tenant.sandboxId;
          const client = environment === 'live' ? tenant.client : tenant.sandbox;
          const response = await client.post(path, body());
          expect(response.status, response.text).to.equal(201);
          const rows = await stack.rows<EventRow>(
            owner,
            'select id, type, body from events where body like $1',
            [`%${response.body.id}%`],
          );
          expect(rows).to.have.length(1);
          const [row] = rows as [EventRow];
          const { timestamp } = JSON.parse(row.body);
          const head = JSON.stringify({
            id: row.id,
            type,
            api_version: 'v1',
            timestamp,
            tenant_id: owner,
            environment,
          });
          expect(row.body).to.equal(
            `${head.slice(0, -1)},"data":{"object":${withoutLinksText(response.text)}}}`,
          );
          expect(row.type).to.equal(type);
          expect(new Date(timestamp).toISOString()).to.equal(timestamp);
        });
      }

      it(`creating a record at ${path} records one ${type}, and a PATCH, failure, dry run or replay records none`, async () => {
        const input = body() as Record<string, unknown>;
        const headers = { 'idempotency-key': randomUUID() };
        const { id } = (await tenant.client.post(path, input, { headers })).body;
        await tenant.client.patch(`${path}/${id}`, { notes: 'later' });
        await tenant.client.post(path, input, { headers });
        const countEvents = async () => (await stack.rows(tenant.id, 'select id from events')).length;
        const before = await countEvents();
        await tenant.client.post(path, body(), { headers: { 'x-service-dry-run': 'true' } });
        await tenant.client.post(path, { ...(body() as object), customer_id: randomUUID() });
        expect(await countEvents()).to.equal(before);
        expect(await findEvents(id)).to.have.length(1);
      });
    }

    it('creating customers and API keys records no event', async () => {
      const customer = (await tenant.client.post('/customers', { company_name: 'Quiet' })).body;
      const key = (await tenant.client.post('/api-keys', { name: 'quiet' })).body;
      expect(await findEvents(customer.id)).to.deep.equal([]);
      expect(await findEvents(key.id)).to.deep.equal([]);
    });
  });

  for (const table of ['audit_entries', 'events']) {
    for (const query of [
      `update ${table} set tenant_id = tenant_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      it(`the application's role has no permission for: ${query}`, async () => {
        const message = await stack.rows(tenant.id, query).then(
          () => 'the query succeeded',
          (error: Error) => error.message,
        );
        expect(message).to.equal(`permission denied for table ${table}`);
      });
    }
  }
});
