import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import type { TestClient, TestResponse } from '../../support/client.js';
import { addClub, buildOffer, offerForAnHour } from '../../support/clubs/clubs.js';
import { ROUTES } from '../../support/crawl/route-rights.js';
import { expectError } from '../../support/expect-error.js';
import {
  createClaimAfter,
  createInvoiceAfter,
  createRecordFor,
} from '../../support/records/lifecycle-records.js';
import { insertNotice } from '../../support/records/notices.js';
import { createRedPng } from '../../support/records/pictures.js';
import {
  cardInput,
  endpointInput,
  invoiceInput,
  recurringInvoiceInput,
  remittanceInput,
  scheduleInput,
  UNKNOWN_ID,
} from '../../support/records/samples.js';
import { createUser } from '../../support/records/sign-in.js';
import { storeSuggestion } from '../../support/records/suggestions.js';
import type { KeyOptions } from '../../support/stack.js';
import { findRequiredCredential, listDocumentedOperations } from '../../support/text/openapi-walk.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { makeWebhookRecords } from '../../support/webhooks/webhook-rows.js';

const BODIES: Record<string, (ids: Record<string, string>) => unknown> = {
  '/invoices': invoiceInput,
  '/recurring-invoices': ({ customer }) => recurringInvoiceInput(customer),
  '/work-orders': () => ({ service_type: 'tow' }),
  '/customers': () => ({ company_name: 'C' }),
  '/trucks': () => ({ unit_number: 'T-2', duty_class: 'light' }),
  '/drivers': () => ({ name: 'D' }),
  '/inspections': () => ({ kind: 'pre_trip' }),
  '/rate-cards': cardInput,
  '/impounds': () => ({ daily_rate_cents: 4500 }),
  '/approvals': ({ invoice }) => ({ invoice_id: invoice, justification: 'To be looked at' }),
  '/api-keys': () => ({ name: 'k' }),
  '/webhook-endpoints': () => endpointInput(),
  '/agent-keys': () => ({ name: 'a', scopes: ['read_audit'] }),
  '/exports': () => ({ resource: 'invoices', format: 'csv' }),
  '/export-schedules': () => scheduleInput(),
  '/users': () => ({ name: 'U', email: 'u@example.com' }),
  '/webhook-deliveries/replay': ({ endpoint }) => ({ endpoint_id: endpoint }),
  '/webhook-endpoints/{endpoint}/recover': () => ({ since: '2026-01-01T00:00:00Z' }),
  '/messages': () => ({ to: '+15185550123', text: 'Hello' }),
  '/text-consents': () => ({ number: '+15185550123', state: 'opted_out' }),
  '/club-offers': () => buildOffer(),
  '/club-offers/{offer}/accept': () => ({ eta_minutes: 30 }),
  '/club-offers/{offer}/refuse': () => ({ reason: 'no_truck' }),
  '/claims/{claim}/withdraw': () => ({ reason: 'r' }),
  '/remittances': () => remittanceInput(),
};

describe('rights of API keys and agent keys', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  const ids: Record<string, string> = { eventType: 'invoice.created' };

  before(async () => {
    const { client } = tenant;
    ids.invoice = (await client.post('/invoices', invoiceInput())).body.id;
    const logo = { raw: createRedPng(), headers: { 'content-type': 'image/png' } };
    await client.call('PUT', '/settings/logo', logo);
    ids.order = (await client.post('/work-orders', { service_type: 'tow' })).body.id;
    ids.customer = (await client.post('/customers', { company_name: 'C' })).body.id;
    ids.recurring = (await createRecordFor('GET /recurring-invoices/{id}', client)) as string;
    ids.truck = (await client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' })).body.id;
    ids.driver = (await client.post('/drivers', { name: 'D' })).body.id;
    ids.inspection = (await client.post('/inspections', { kind: 'pre_trip' })).body.id;
    ids.endpoint = (await client.post('/webhook-endpoints', endpointInput())).body.id;
    ids.card = (await client.post('/rate-cards', cardInput())).body.id;
    ids.impound = (await client.post('/impounds', { daily_rate_cents: 4500 })).body.id;
    await createInvoiceAfter(client, ['approve', 'send']);
    ids.message = (await client.get('/messages')).body.data.items[0].id;
    ids.suggestion = await storeSuggestion(stack, tenant.id, { entity_id: UNKNOWN_ID });
    ids.claim = (await createClaimAfter(client)).id;
    ids.remittance = (await client.post('/remittances', remittanceInput())).body.id;
    ids.remittanceLine = (await client.get('/remittance-lines')).body.data.items[0].id;
    ids.event = (await client.get('/events')).body.data.items[0].id;
    const owner = { stack, tenantId: tenant.id };
    const webhooks = await makeWebhookRecords(owner, { eventId: ids.event as string });
    Object.assign(ids, webhooks, { delivery: webhooks.webhook_delivery, replay: webhooks.webhook_replay });
    ids.export = (await client.post('/exports', { resource: 'all', format: 'dump' })).body.id;
    await client.delete(`/exports/${ids.export}`);
    ids.schedule = (await client.post('/export-schedules', scheduleInput())).body.id;
    ids.notice = await insertNotice(stack, tenant.id);
    ids.agent = (await client.post('/agent-keys', { name: 'a', scopes: ['read_audit'] })).body.id;
    ids.entry = (await client.get('/audit-log')).body.data.items[0].id;
    ids.user = (await createUser(stack, tenant.id, { role: 'admin' })).id;
    await createUser(stack, tenant.id, { role: 'admin' });
    ids.offer = await offerForAnHour(await addClub(stack, client));
    ids.key = (await client.post('/api-keys', { name: 'victim' })).body.id;
  });

  /**
   * Maps a set of rights to a client that has exactly these rights. Equal sets share a key, because
   * an account has at most 100 live keys.
   */
  const clients = new Map<string, Promise<TestClient>>();
  const clientWith = (options: KeyOptions): Promise<TestClient> => {
    const rights = JSON.stringify(options);
    const client =
      clients.get(rights) ?? stack.createKey(tenant.id, options).then((key) => stack.createClient(key));
    clients.set(rights, client);
    return client;
  };

  const requestDryRun = (
    client: TestClient,
    [method, path]: (typeof ROUTES)[number],
  ): Promise<TestResponse> => {
    const body = method === 'POST' ? BODIES[path]?.(ids) : method === 'PATCH' ? {} : undefined;
    // Send each write as a dry run, which needs the same rights but leaves the records unchanged
    // for the next route.
    const headers = method === 'GET' ? {} : { 'x-service-dry-run': 'true' };
    const picture = { raw: createRedPng(), headers: { ...headers, 'content-type': 'image/png' } };
    return client.call(
      method,
      path.replace(/\{(\w+)\}/, (_, name: string) => ids[name] ?? UNKNOWN_ID),
      method === 'PUT' ? picture : { body, headers },
    );
  };

  for (const { name, method, path, body } of listDocumentedOperations().filter(
    (one) => one.method !== 'GET' && findRequiredCredential(one) !== 'nothing',
  )) {
    it(`${name} refuses an API key with only the permission read, and an agent key without its scope`, async () => {
      const own = path.replace('{id}', UNKNOWN_ID);
      const options = body ? { body: body.example } : {};
      const reader = await clientWith({ permissions: ['read'] });
      // Every person may sign out and manage factors, even with read rights only. No key may.
      const isOwn = name === 'DELETE /session' || /^\/(me|session)\//.test(path);
      const code = isOwn ? 'forbidden' : 'insufficient_scope';
      expectError(await reader.call(method, own, options), 403, code);
      const agent = await clientWith({ kind: 'agent', scopes: ['read_invoices'] });
      expect((await agent.call(method, own, options)).status).to.equal(403);
    });
  }

  for (const route of ROUTES) {
    const [method, path, scope, permission] = route;

    it(`${method} ${path} requires the permission ${permission}, and no other permission replaces it`, async () => {
      const others = ['read', 'write', 'approve', 'admin'].filter((other) => other !== permission);
      const refused = await requestDryRun(await clientWith({ permissions: others }), route);
      expect(expectError(refused, 403, 'insufficient_scope')).to.deep.equal([{ required: permission }]);
      const allowed = await requestDryRun(await clientWith({ permissions: [permission] }), route);
      expect(allowed.status, allowed.text).to.equal(200);
    });

    it(`${method} ${path} ${scope ? `accepts an agent key only with the scope ${scope}` : 'refuses every agent key'}`, async () => {
      const others = AGENT_SCOPES.filter((other) => other !== scope);
      const refused = await requestDryRun(await clientWith({ kind: 'agent', scopes: others }), route);
      if (scope === null) {
        expectError(refused, 403, 'forbidden');
        const everything = await clientWith({ kind: 'agent', scopes: [...AGENT_SCOPES] });
        expectError(await requestDryRun(everything, route), 403, 'forbidden');
        return;
      }
      expect(expectError(refused, 403, 'insufficient_scope')).to.deep.equal([{ required: scope }]);
      const allowed = await requestDryRun(await clientWith({ kind: 'agent', scopes: [scope] }), route);
      expect(allowed.status, allowed.text).to.equal(200);
    });

    it(`${method} ${path} ${permission === 'read' ? 'accepts a read-only API key, and a read-only agent key only with its scope' : 'refuses read-only API keys and agent keys'}`, async () => {
      const api = await clientWith({ readOnly: true });
      const agent = await clientWith({ kind: 'agent', scopes: [...AGENT_SCOPES], readOnly: true });
      for (const client of [api, agent]) {
        const response = await requestDryRun(client, route);
        if (permission !== 'read') expectError(response, 403, 'read_only_key');
        else if (scope === null && client === agent) expectError(response, 403, 'forbidden');
        else expect(response.status, response.text).to.equal(200);
      }
    });
  }

  it('POST /invoices refuses a key without the permission before it reads the body', async () => {
    const reader = await clientWith({ permissions: ['read'] });
    const response = await reader.post('/invoices', undefined, { raw: '{broken' });
    expectError(response, 403, 'insufficient_scope');
  });

  it('GET /me accepts every key, whatever its rights', async () => {
    for (const options of [
      { permissions: [] },
      { kind: 'agent', scopes: [] },
      { readOnly: true },
    ] as KeyOptions[]) {
      const me = await (await clientWith(options)).get('/me');
      expect(me.status, me.text).to.equal(200);
      const account = { id: tenant.id, environment: 'live', time_zone: 'America/New_York' };
      expect(me.body.tenant).to.include(account);
      const { kind = 'api', readOnly: read_only = false } = options;
      expect(me.body.key).to.deep.include({ kind, read_only });
    }
  });

  describe('rights of an agent key on its own records', () => {
    const agent = () =>
      clientWith({ kind: 'agent', scopes: ['write_invoices_draft', 'read_invoices', 'write_work_orders'] });

    it('an agent can create a draft invoice and change it only while it is a draft', async () => {
      const client = await agent();
      const invoice = (await client.post('/invoices', invoiceInput())).body;
      expect(invoice.status).to.equal('draft');
      const path = `/invoices/${invoice.id}`;
      expect((await client.patch(path, { notes: 'mine' })).body.notes).to.equal('mine');
      for (const status of ['needs_review', 'approved', 'paid']) {
        const text = 'update invoices set status = $3 where tenant_id = $1 and id = $2';
        await stack.rows(tenant.id, text, [tenant.id, invoice.id, status]);
        expectError(await client.patch(path, { notes: 'late' }), 403, 'forbidden');
      }
      expect((await client.get(path)).body.notes).to.equal('mine');
    });

    for (const status of ['needs_review', 'approved', 'sending', 'paid', 'void']) {
      it(`an agent cannot move its draft invoice to ${status}`, async () => {
        const client = await agent();
        const invoice = (await client.post('/invoices', invoiceInput())).body;
        const response = await client.patch(`/invoices/${invoice.id}`, { status });
        expect(response.status, response.text).to.be.oneOf([403, 409]);
        expect((await client.get(`/invoices/${invoice.id}`)).body.status).to.equal('draft');
      });
    }

    it("an agent's work order is pending in REST and matches the filter status=new", async () => {
      const booked = (await (await agent()).post('/work-orders', { service_type: 'lockout' })).body;
      const accepted = (await tenant.client.post('/work-orders', { service_type: 'lockout' })).body;
      expect([booked.status, accepted.status]).to.deep.equal(['pending', 'pending']);
      const listIds = async (status: string) => {
        const response = await tenant.client.get(`/work-orders?service_type=lockout&status=${status}`);
        return response.body.data.items.map((item: { id: string }) => item.id);
      };
      expect(await listIds('new')).to.deep.equal([booked.id]);
      expect(await listIds('pending')).to.deep.equal([accepted.id, booked.id]);
      expect(await listIds('dispatched')).to.deep.equal([]);
    });
  });
});
