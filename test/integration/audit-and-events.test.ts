import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { invoiceInput, lineItem } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

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

describe('what a write leaves behind', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let keyId: string;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    keyId = (await tenant.client.get('/me')).body.key.id;
  });
  after(() => stack.stop());

  const ownHeaders = () => ({ 'x-request-id': `test-${randomUUID()}`, 'user-agent': 'audit-test/1.0' });

  /** The audit entries of one request, found by the id it was answered with. */
  const entriesOf = (answer: Answer, owner = tenant.id): Promise<Entry[]> =>
    stack.rows<Entry>(owner, 'select * from audit_entries where request_id = $1', [
      answer.headers['x-request-id'],
    ]);
  const entryOf = async (answer: Answer, owner = tenant.id): Promise<Entry> => {
    const entries = await entriesOf(answer, owner);
    expect(entries, 'entries of one request').to.have.length(1);
    return entries[0] as Entry;
  };
  const eventsAbout = (id: string): Promise<EventRow[]> =>
    stack.rows<EventRow>(tenant.id, 'select id, type, body from events where body like $1', [`%${id}%`]);

  describe('the audit entry', () => {
    it('says who did what to which record, how, and when', async () => {
      const headers = { ...ownHeaders(), 'idempotency-key': randomUUID() };
      const input = { company_name: 'Audited', terms_days: 10 };
      const answer = await tenant.client.post('/customers', input, { headers });
      const entry = await entryOf(answer);
      expect(entry).to.deep.include({
        ...{ tenant_id: tenant.id, actor_type: 'api_key', actor_id: keyId, actor_name: 'test key' },
        ...{ action: 'customer.created', entity_type: 'customer', entity_id: answer.body.id, outcome: 'ok' },
        ...{
          source: 'rest',
          tool: null,
          error: null,
          response_status: 201,
          request_id: headers['x-request-id'],
        },
        ...{ idempotency_key: headers['idempotency-key'], ip: '127.0.0.1', user_agent: 'audit-test/1.0' },
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
      it(`of POST and PATCH ${path}: one each, the patch names what changed from what to what`, async () => {
        const made = await tenant.client.post(path, body(), { headers: ownHeaders() });
        const id = made.body.id;
        expect(await entryOf(made)).to.include({
          action: `${entityType}.created`,
          entity_type: entityType,
          entity_id: id,
        });
        const patched = await tenant.client.patch(`${path}/${id}`, patch, { headers: ownHeaders() });
        const entry = await entryOf(patched);
        expect(entry).to.include({
          action: `${entityType}.updated`,
          entity_type: entityType,
          entity_id: id,
          outcome: 'ok',
          response_status: 200,
        });
        expect(entry.changes).to.deep.equal([change]);
      });

      it(`of a PATCH ${path} that changes nothing has no changes`, async () => {
        const made = await tenant.client.post(path, body());
        const patched = await tenant.client.patch(`${path}/${made.body.id}`, {}, { headers: ownHeaders() });
        expect((await entryOf(patched)).changes).to.deep.equal([]);
      });
    }

    it('of 200 new or replaced lines holds a summary instead of the lines', async () => {
      const lines = (name: string) => Array(200).fill(lineItem({ name, description: 'd'.repeat(2000) }));
      const made = await tenant.client.post('/invoices', invoiceInput({ line_items: lines('Tow') }), {
        headers: ownHeaders(),
      });
      const line_items = lines('Winch');
      const patched = await tenant.client.patch(
        `/invoices/${made.body.id}`,
        { line_items },
        { headers: ownHeaders() },
      );
      const summary = (name: string) => ({
        field: 'line_items',
        from: null,
        to: { count: 200, names: Array(10).fill(name), total_cents: 2_000_000 },
      });
      expect((await entryOf(made)).changes).to.deep.include(summary('Tow'));
      expect((await entryOf(patched)).changes).to.deep.equal([summary('Winch')]);
      for (const answer of [made, patched])
        expect(JSON.stringify(await entryOf(answer)).length).to.be.below(2000);
    });

    it('of replaced lines names them', async () => {
      const { id } = (await tenant.client.post('/invoices', invoiceInput())).body;
      const line_items = [lineItem({ name: 'Winch' })];
      const patched = await tenant.client.patch(`/invoices/${id}`, { line_items }, { headers: ownHeaders() });
      expect((await entryOf(patched)).changes?.map(({ field }) => field)).to.deep.equal(['line_items']);
    });

    it('of a key being made, rolled and revoked never holds the key, sealed or plain', async () => {
      const made = await tenant.client.post('/api-keys', { name: 'secret' }, { headers: ownHeaders() });
      const rolled = await tenant.client.post(
        `/api-keys/${made.body.id}/roll`,
        {},
        { headers: ownHeaders() },
      );
      const revoked = await tenant.client.delete(`/api-keys/${made.body.id}`, { headers: ownHeaders() });
      const actions = ['api_key.created', 'api_key.rolled', 'api_key.revoked'];
      for (const [index, answer] of [made, rolled, revoked].entries()) {
        expect(answer.status, answer.text).to.be.oneOf([200, 201]);
        const entry = await entryOf(answer);
        expect(entry).to.include({
          action: actions[index],
          entity_type: 'api_key',
          entity_id: answer.body.id,
        });
        const text = JSON.stringify(entry);
        expect(text).to.not.include(made.body.key).and.not.include(rolled.body.key);
        expect(text).to.not.match(/material|sealed|key_hash|"v1\./);
      }
    });

    it('of an agent names the agent', async () => {
      const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['write_work_orders'] });
      const client = stack.clientWith(key);
      const answer = await client.post('/work-orders', { service_type: 'tow' }, { headers: ownHeaders() });
      const agentId = (await client.get('/me')).body.key.id;
      expect(await entryOf(answer)).to.include({ actor_type: 'agent', actor_id: agentId, source: 'rest' });
    });

    it('of a write that failed has the outcome failed, the error and no changes', async () => {
      const taken = (await tenant.client.post('/invoices', invoiceInput())).body;
      const failures: [string, string, unknown, string, string][] = [
        [
          'POST',
          '/invoices',
          { invoice_number: taken.invoice_number },
          'invoice.created',
          'duplicate_invoice_number',
        ],
        [
          'PATCH',
          `/invoices/${taken.id}`,
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
        const answer = await tenant.client.call(method, path, { body, headers: ownHeaders() });
        const entry = await entryOf(answer);
        expect(entry).to.include({
          action,
          outcome: 'failed',
          response_status: answer.status,
          changes: null,
        });
        expect(entry.error?.code).to.equal(code);
      }
    });

    it('stays one when the request is replayed', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { company_name: 'Once' };
      const first = await tenant.client.post('/customers', body, {
        headers: { ...headers, ...ownHeaders() },
      });
      const replay = await tenant.client.post('/customers', body, {
        headers: { ...headers, ...ownHeaders() },
      });
      expect(await entriesOf(replay)).to.deep.equal([]);
      const about = 'select id from audit_entries where entity_id = $1';
      expect(await stack.rows(tenant.id, about, [first.body.id])).to.have.length(1);
    });

    it('belongs to its tenant alone', async () => {
      const other = await stack.createTenant('Other');
      const answer = await tenant.client.post(
        '/customers',
        { company_name: 'Mine' },
        { headers: ownHeaders() },
      );
      expect(await entriesOf(answer, other.id)).to.deep.equal([]);
      expect(await entriesOf(answer)).to.have.length(1);
    });
  });

  describe('the event', () => {
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
        it(`${type} of a ${environment} tenant has the published body, with the object as it was answered, byte for byte`, async () => {
          const owner = environment === 'live' ? tenant.id : tenant.sandboxId;
          const client = environment === 'live' ? tenant.client : tenant.sandbox;
          const answer = await client.post(path, body());
          expect(answer.status, answer.text).to.equal(201);
          const rows = await stack.rows<EventRow>(
            owner,
            'select id, type, body from events where body like $1',
            [`%${answer.body.id}%`],
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
          expect(row.body).to.equal(`${head.slice(0, -1)},"data":{"object":${answer.text}}}`);
          expect(row.type).to.equal(type);
          expect(new Date(timestamp).toISOString()).to.equal(timestamp);
        });
      }

      it(`${type} is the only one: a PATCH, a failure, a dry run and a replay make none`, async () => {
        const input = body() as Record<string, unknown>;
        const headers = { 'idempotency-key': randomUUID() };
        const { id } = (await tenant.client.post(path, input, { headers })).body;
        await tenant.client.patch(`${path}/${id}`, { notes: 'later' });
        await tenant.client.post(path, input, { headers });
        const counts = async () => (await stack.rows(tenant.id, 'select id from events')).length;
        const before = await counts();
        await tenant.client.post(path, body(), { headers: { 'x-service-dry-run': 'true' } });
        await tenant.client.post(path, { ...(body() as object), customer_id: randomUUID() });
        expect(await counts()).to.equal(before);
        expect(await eventsAbout(id)).to.have.length(1);
      });
    }

    it('of customers and keys is none', async () => {
      const customer = (await tenant.client.post('/customers', { company_name: 'Quiet' })).body;
      const key = (await tenant.client.post('/api-keys', { name: 'quiet' })).body;
      expect(await eventsAbout(customer.id)).to.deep.equal([]);
      expect(await eventsAbout(key.id)).to.deep.equal([]);
    });
  });

  for (const table of ['audit_entries', 'events']) {
    for (const statement of [
      `update ${table} set tenant_id = tenant_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      it(`cannot be undone by the application's role: ${statement}`, async () => {
        const refusal = await stack.rows(tenant.id, statement).then(
          () => 'it was let through',
          (error: Error) => error.message,
        );
        expect(refusal).to.equal(`permission denied for table ${table}`);
      });
    }
  }
});
