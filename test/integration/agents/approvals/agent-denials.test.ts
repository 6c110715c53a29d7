import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { getAppRole } from '../../../../shared/platform/postgres/session.js';
import type { Json, TestClient } from '../../../support/client.js';
import { expectError } from '../../../support/expect-error.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import { invoiceInput } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

describe('audit entries of requests that the REST API denies to agent keys', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    const scopes = ['read_invoices', 'write_invoices_draft'];
    agent = stack.createClient(await stack.createKey(tenant.id, { kind: 'agent', scopes }));
  });

  const listDenials = () =>
    stack.rows<Json>(
      tenant.id,
      "select * from audit_entries where tenant_id = $1 and outcome = 'denied' order by occurred_at, id",
      [tenant.id],
    );

  it('each denied request of an agent key leaves one audit entry with its action, record and request ids', async () => {
    const key = newId();
    const headers = { 'Idempotency-Key': key, 'X-Request-Id': 'req-denied' };
    expectError(await agent.get('/customers'), 403, 'insufficient_scope');
    expectError(await agent.get(`/work-orders/${key}`), 403, 'insufficient_scope');
    expectError(await agent.post('/customers', { company_name: 'C' }, { headers }), 403, 'forbidden');
    expectError(await agent.post(`/invoices/${key}/approve`, {}), 403, 'forbidden');
    expectError(await agent.get('/settings'), 403, 'forbidden');
    expectError(await agent.get('/event-types'), 403, 'forbidden');
    const entries = await listDenials();
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'customer.listed',
      'work_order.read',
      'customer.created',
      'invoice.approved',
      'settings.read',
      'request.refused',
    ]);
    for (const entry of entries)
      expect(entry).to.include({ actor_type: 'agent', source: 'rest', tool: null, response_status: 403 });
    expect(entries[1]).to.include({ entity_type: 'work_order', entity_id: key });
    expect(entries[2]).to.include({ idempotency_key: key, request_id: 'req-denied' });
    expect(entries[2].error.code).to.equal('forbidden');
  });

  it("a write of an agent key that the worker refuses leaves one audit entry: the command's own", async () => {
    const invoice = (await tenant.client.post('/invoices', invoiceInput())).body;
    await tenant.client.post(`/invoices/${invoice.id}/cancel`, { reason: 'x' });
    expectError(await agent.patch(`/invoices/${invoice.id}`, { notes: 'x' }), 403, 'forbidden');
    const entries = await listDenials();
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include({ action: 'invoice.updated', entity_id: invoice.id });
  });

  it('an agent key gets 503 while its denial cannot be audited, and denials of API keys are not audited', async () => {
    const role = getAppRole(stack.databaseUrl);
    await stack.runAsOwner(`revoke insert on audit_entries from "${role}"`);
    try {
      expectError(await agent.get('/customers'), 503, 'service_unavailable');
      expect((await agent.get('/invoices')).status).to.equal(200);
    } finally {
      await stack.runAsOwner(`grant insert on audit_entries to "${role}"`);
    }
    const reader = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read'] }));
    expectError(await reader.post('/customers', { company_name: 'C' }), 403, 'insufficient_scope');
    expect(await listDenials()).to.deep.equal([]);
  });
});
