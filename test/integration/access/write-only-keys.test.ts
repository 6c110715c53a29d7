import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { connectAgent } from '../../support/agents/agent.js';
import type { CallOptions, Json, TestClient, TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import {
  createClaimAfter,
  createImpoundAfter,
  createInvoiceAfter,
  createRecordFor,
  createWorkOrderAfter,
} from '../../support/records/lifecycle-records.js';
import { insertNotice } from '../../support/records/notices.js';
import { invoiceInput, remittanceInput } from '../../support/records/samples.js';
import { storeSuggestion } from '../../support/records/suggestions.js';
import type { TestTenant } from '../../support/stack.js';
import { listDocumentedOperations } from '../../support/text/openapi-walk.js';
import { useStack } from '../../support/use-stack.js';

const DRY_RUN: CallOptions = { headers: { 'X-Service-Dry-Run': 'true' } };
/**
 * Resources for which both changes and reads need the permission `admin`. A key that may change
 * them may therefore read them too, so the PATCH tests below leave them out.
 */
const FOR_ADMINS = ['message-templates', 'connections', 'export-schedules', 'users', 'webhook-endpoints'];

describe('API keys that may write but not read', () => {
  const stack = useStack();
  let tenant: TestTenant;
  let writer: TestClient;
  let ids: Record<string, string>;

  before(async () => {
    tenant = await stack.createTenant();
    const { client } = tenant;
    writer = stack.createClient(
      await stack.createKey(tenant.id, { permissions: ['write', 'approve', 'admin'] }),
    );
    const made = async (path: string, body: Json) => (await client.post(path, body)).body.id as string;
    const readRemittanceLine = async () => {
      await made('/remittances', remittanceInput());
      return (await client.get('/remittance-lines')).body.data.items[0].id as string;
    };
    ids = {
      invoices: await createInvoiceAfter(client, []),
      'recurring-invoices': (await createRecordFor('GET /recurring-invoices/{id}', client)) as string,
      customers: await made('/customers', { company_name: 'Secret Towing Club' }),
      'work-orders': await createWorkOrderAfter(client, []),
      trucks: await made('/trucks', { unit_number: 'S-1', duty_class: 'light' }),
      drivers: await made('/drivers', { name: 'Secret Driver' }),
      inspections: await made('/inspections', { kind: 'pre_trip', notes: 'secret' }),
      impounds: await createImpoundAfter(client, []),
      claims: (await createClaimAfter(client)).id,
      settings: tenant.id,
      'remittance-lines': await readRemittanceLine(),
    };
  });

  const expectReceipt = (response: TestResponse, id: string) => {
    expect(response.status, response.text).to.equal(200);
    expect(response.body).to.deep.equal({ ok: true, data: { id } });
  };
  const expectDryReceipt = (response: TestResponse, id: string) => {
    expect(response.status, response.text).to.equal(200);
    expect(response.body).to.deep.equal({ ok: true, dry_run: true, data: { id }, warnings: [] });
  };
  const getResource = (path: string) => path.split('/')[1] as string;

  for (const { path } of listDocumentedOperations().filter(({ method, path }) => {
    return method === 'PATCH' && !FOR_ADMINS.includes(getResource(path));
  })) {
    it(`PATCH ${path} by a write-only key returns only the id if nothing changes or in a dry run`, async () => {
      const id = ids[getResource(path)] as string;
      expect(id, `no record for ${path}`).to.be.a('string');
      const own = path.replace('{id}', id);
      expectError(await writer.get(own), 403, 'insufficient_scope');
      expectReceipt(await writer.patch(own, {}), id);
      expectReceipt(await writer.patch(own), id);
      expectDryReceipt(await writer.patch(own, {}, DRY_RUN), id);
    });
  }

  it('PATCH by a write-only key with the stored values, or in a dry run, returns only the id', async () => {
    const { client } = tenant;
    const id = ids.customers as string;
    expectReceipt(await writer.patch(`/customers/${id}`, { company_name: 'Secret Towing Club' }), id);
    expectDryReceipt(await writer.patch(`/customers/${id}`, { city: 'Troy' }, DRY_RUN), id);
    expect((await client.get(`/customers/${id}`)).body.city).to.equal(null);
  });

  it('an action of a write-only key on a record already in the target state returns only the id', async () => {
    const { client } = tenant;
    const [approved, disputed] = [
      await createInvoiceAfter(client, ['approve']),
      await createInvoiceAfter(client, ['approve', 'send', 'dispute']),
    ];
    const started = await createWorkOrderAfter(client, ['assign', 'start']);
    const held = await createImpoundAfter(client, ['hold']);
    const submitted = (await createClaimAfter(client, ['submit'])).id;
    const notice = await insertNotice(stack, tenant.id);
    await client.post(`/notices/${notice}/read`, {});
    const suggestion = await storeSuggestion(stack, tenant.id, { entity_id: approved });
    await client.post(`/suggestions/${suggestion}/dismiss`, { reason: 'x' });
    for (const [path, id, body] of [
      [`/invoices/${approved}/approve`, approved],
      [`/invoices/${disputed}/dispute`, disputed, { reason: 'x' }],
      [`/work-orders/${started}/start`, started],
      [`/impounds/${held}/hold`, held, { reason: 'x' }],
      [`/claims/${submitted}/submit`, submitted],
      [`/notices/${notice}/read`, notice],
      [`/suggestions/${suggestion}/dismiss`, suggestion, { reason: 'x' }],
    ] as [string, string, Json?][]) {
      expectReceipt(await writer.post(path, body ?? {}), id);
      expectDryReceipt(await writer.post(path, body ?? {}, DRY_RUN), id);
    }
  });

  it('the 412 response to a write-only key does not show what has changed', async () => {
    const { client } = tenant;
    const path = `/customers/${(await client.post('/customers', { company_name: 'Old' })).body.id}`;
    const { etag } = (await client.get(path)).headers as { etag: string };
    await client.patch(path, { company_name: 'New secret name' });
    const headers = { 'If-Match': etag };
    const details = expectError(
      await client.patch(path, { city: 'Troy' }, { headers }),
      412,
      'precondition_failed',
    );
    expect(details[0]).to.include({ field: 'company_name', to: 'New secret name' });
    const refused = await writer.patch(path, { city: 'Troy' }, { headers });
    expectError(refused, 412, 'precondition_failed');
    expect(refused.text).to.not.include('secret');
  });

  it('a write-only key sees the records it creates and changes, also when it repeats the request', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const body = invoiceInput();
    const made = await writer.post('/invoices', body, { headers });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.invoice_number).to.equal(body.invoice_number);
    expect((await writer.post('/invoices', body, { headers })).text).to.equal(made.text);
    const change = { headers: { 'Idempotency-Key': newId() } };
    const path = `/invoices/${made.body.id}`;
    const changed = await writer.patch(path, { notes: 'mine' }, change);
    expect(changed.body.notes).to.equal('mine');
    expect((await writer.patch(path, { notes: 'mine' }, change)).text).to.equal(changed.text);
    const nothing = { headers: { 'Idempotency-Key': newId() } };
    expectReceipt(await writer.patch(path, {}, nothing), made.body.id);
    expectReceipt(await writer.patch(path, {}, nothing), made.body.id);
  });

  it('a write-only key does not get the response stored for another key', async () => {
    const { client } = tenant;
    const headers = { 'Idempotency-Key': newId() };
    const body = invoiceInput({ notes: 'secret' });
    const made = await client.post('/invoices', body, { headers });
    expect(made.status).to.equal(201);
    const refused = await writer.post('/invoices', body, { headers });
    expect(expectError(refused, 403, 'insufficient_scope')).to.deep.equal([{ required: 'read' }]);
    expect(refused.text).to.not.include('secret');
    const change = { headers: { 'Idempotency-Key': newId() } };
    const path = `/invoices/${made.body.id}`;
    await client.patch(path, { po_number: 'PO-1' }, change);
    expectReceipt(await writer.patch(path, { po_number: 'PO-1' }, change), made.body.id);
    const other = stack.createClient(await stack.createKey(tenant.id));
    expect((await other.post('/invoices', body, { headers })).text, 'a key that may read').to.equal(
      made.text,
    );
  });

  describe('agent keys that may write but not read', () => {
    let agent: TestClient;

    before(async () => {
      const scopes = ['write_invoices_draft', 'write_work_orders', 'read_customers'];
      agent = stack.createClient(await stack.createKey(tenant.id, { kind: 'agent', scopes }));
    });

    it('PATCH of a draft by a write-only agent returns only the id if nothing changes or in a dry run', async () => {
      const id = await createInvoiceAfter(tenant.client, []);
      const path = `/invoices/${id}`;
      expectReceipt(await agent.patch(path, {}), id);
      expectReceipt(await agent.patch(path, { status: 'draft' }), id);
      expectDryReceipt(await agent.patch(path, { notes: 'x' }, DRY_RUN), id);
      const headers = { 'If-Match': '"2020-01-01T00:00:00.000Z"' };
      const refused = await agent.patch(path, { notes: 'x' }, { headers });
      expectError(refused, 412, 'precondition_failed');
      expect(refused.body.error).to.not.have.property('details');
      expect((await agent.patch(path, { notes: 'mine' })).body.notes).to.equal('mine');
    });

    it('a draft that another agent created with the same idempotency_key is not shown over MCP', async () => {
      const [one, blind] = await Promise.all([
        connectAgent(stack, tenant),
        connectAgent(stack, tenant, { scopes: ['write_invoices_draft'] }),
      ]);
      const input = {
        work_order_id: await createWorkOrderAfter(tenant.client, []),
        idempotency_key: newId(),
      };
      const made = await one.callOk('create_invoice_draft', input);
      const refused = await blind.callRefused('create_invoice_draft', input);
      expect(refused).to.include({ code: 'insufficient_scope' });
      expect(refused.details).to.deep.equal([{ required: 'read_invoices' }]);
      expect(JSON.stringify(refused)).to.not.include(made.invoice_number);
      await Promise.all([one.client.close(), blind.client.close()]);
    });
  });
});

describe('operations of an agent that may write but not read', () => {
  const stack = useStack();

  it('GET /operations/{id} returns only the id to a write-only agent if the operation changed nothing', async () => {
    const tenant = await stack.createTenant();
    const scopes = ['write_invoices_draft'];
    const key = await stack.createKey(tenant.id, { kind: 'agent', scopes });
    const agent = stack.createClient(key);
    const agentId = (await agent.get('/me')).body.key.id;
    const id = await createInvoiceAfter(tenant.client, []);
    const command = newId();
    // Insert the rows of a write that committed after its request had timed out.
    await stack.rows(
      tenant.id,
      `with entry as (
         insert into audit_entries (tenant_id, id, actor_type, actor_id, action, entity_type, entity_id, outcome, source, changes, response_status)
         values ($1, $2, 'agent', $3, 'invoice.updated', 'invoice', $4, 'ok', 'rest', '[]', 200))
       insert into operations (tenant_id, id, command) values ($1, $2, $5)`,
      [
        tenant.id,
        command,
        agentId,
        id,
        JSON.stringify({ type: 'invoice.update', entityId: id, actor: { type: 'agent', id: agentId } }),
      ],
    );
    const { body } = await agent.get(`/operations/${command}`);
    expect(body).to.deep.include({ status: 'succeeded', result: { id } });
    expect((await tenant.client.get(`/operations/${command}`)).body.result).to.include({ status: 'draft' });
  });
});
