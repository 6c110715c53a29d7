import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { appRoleOf } from '../../shared/platform/postgres-session.js';
import { withAccounts } from '../support/accounts.js';
import type { Json, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput } from '../support/samples.js';
import type { TestStack, TestTenant } from '../support/stack.js';

describe('denials of agent keys on the REST API', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;

  withAccounts(async (account) => {
    ({ stack, tenant } = account);
    const scopes = ['read_invoices', 'write_invoices_draft'];
    agent = stack.clientWith(await stack.createKey(tenant.id, { kind: 'agent', scopes }));
  });

  const denials = () =>
    stack.rows<Json>(
      tenant.id,
      "select * from audit_entries where tenant_id = $1 and outcome = 'denied' order by occurred_at, id",
      [tenant.id],
    );

  it('stand in the audit log, one each, and say what was asked for', async () => {
    const key = newId();
    const headers = { 'Idempotency-Key': key, 'X-Request-Id': 'req-denied' };
    expectError(await agent.get('/customers'), 403, 'insufficient_scope');
    expectError(await agent.get(`/work-orders/${key}`), 403, 'insufficient_scope');
    expectError(await agent.post('/customers', { company_name: 'C' }, { headers }), 403, 'forbidden');
    expectError(await agent.post(`/invoices/${key}/approve`, {}), 403, 'forbidden');
    expectError(await agent.get('/settings'), 403, 'forbidden');
    expectError(await agent.get('/event-types'), 403, 'forbidden');
    const entries = await denials();
    expect(entries.map(({ action }) => action)).to.deep.equal([
      ...['customer.listed', 'work_order.read', 'customer.created', 'invoice.approved'],
      ...['settings.read', 'request.refused'],
    ]);
    for (const entry of entries)
      expect(entry).to.include({ actor_type: 'agent', source: 'rest', tool: null, response_status: 403 });
    expect(entries[1]).to.include({ entity_type: 'work_order', entity_id: key });
    expect(entries[2]).to.include({ idempotency_key: key, request_id: 'req-denied' });
    expect(entries[2].error.code).to.equal('forbidden');
  });

  it("leave one entry where a worker refused: the command's own", async () => {
    const invoice = (await tenant.client.post('/invoices', invoiceInput())).body;
    await tenant.client.post(`/invoices/${invoice.id}/cancel`, { reason: 'x' });
    expectError(await agent.patch(`/invoices/${invoice.id}`, { notes: 'x' }), 403, 'forbidden');
    const entries = await denials();
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include({ action: 'invoice.updated', entity_id: invoice.id });
  });

  it('are not told of before they are written down, and are not written of other keys', async () => {
    const role = appRoleOf(stack.databaseUrl);
    await stack.asOwner(`revoke insert on audit_entries from "${role}"`);
    try {
      expectError(await agent.get('/customers'), 503, 'service_unavailable');
      expect((await agent.get('/invoices')).status).to.equal(200);
    } finally {
      await stack.asOwner(`grant insert on audit_entries to "${role}"`);
    }
    const narrow = stack.clientWith(await stack.createKey(tenant.id, { permissions: ['read'] }));
    expectError(await narrow.post('/customers', { company_name: 'C' }), 403, 'insufficient_scope');
    expect(await denials()).to.deep.equal([]);
  });
});
