import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { getAppRole } from '../../../../shared/platform/postgres/session.js';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import type { Json } from '../../../support/client.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const REQUEST_ID = 'req-governance';

describe('audit entries of MCP calls', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;
  let seen = new Set<string>();

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant, { headers: { 'X-Request-Id': REQUEST_ID } });
    seen = new Set();
    return () => agent.client.close();
  });

  /** Lists the audit entries added since the previous call of this function. */
  const listNewEntries = async (): Promise<Json[]> => {
    const rows = await stack.rows<{ id: string }>(
      tenant.id,
      'select * from audit_entries where tenant_id = $1 order by occurred_at, id',
      [tenant.id],
    );
    const newEntries = rows.filter(({ id }) => !seen.has(id));
    for (const { id } of newEntries) seen.add(id);
    return newEntries;
  };
  const expectOneEntry = async (call: () => Promise<unknown>): Promise<Json> => {
    await listNewEntries();
    await call();
    const newEntries = await listNewEntries();
    expect(newEntries, JSON.stringify(newEntries)).to.have.length(1);
    expect(newEntries[0]).to.include({ actor_type: 'agent', actor_name: 'test key', source: 'mcp' });
    expect(newEntries[0].ip).to.be.a('string');
    return newEntries[0];
  };
  const createWorkOrder = async () =>
    (await tenant.client.post('/work-orders', { service_type: 'tow' })).body.id as string;

  it('each MCP read leaves one audit entry with its tool, record and outcome', async () => {
    const work_order_id = await createWorkOrder();
    const invoice = await agent.callOk('create_invoice_draft', { work_order_id });
    const calls: [string, Record<string, unknown>, Record<string, unknown>][] = [
      ['list_invoices', {}, { action: 'invoice.listed', entity_type: 'invoice', entity_id: null }],
      ['get_invoice', { invoice_id: invoice.id }, { action: 'invoice.read', entity_id: invoice.id }],
      ['list_work_orders', {}, { action: 'work_order.listed' }],
      ['get_work_order', { work_order_id }, { action: 'work_order.read', entity_id: work_order_id }],
      ['list_customers', {}, { action: 'customer.listed', entity_type: 'customer' }],
      ['get_dispatch_board', {}, { action: 'dispatch_board.read' }],
      ['search_audit_log', {}, { action: 'audit_log.searched' }],
    ];
    for (const [tool, args, expected] of calls) {
      const entry = await expectOneEntry(() => agent.callOk(tool, args));
      expect(entry).to.include({
        ...expected,
        tool,
        outcome: 'ok',
        request_id: REQUEST_ID,
        response_status: 200,
      });
    }
  });

  it('each read of an MCP resource or template leaves one audit entry, found or not', async () => {
    const id = await createWorkOrder();
    const read = (uri: string) => () => agent.client.readResource({ uri }).catch(() => undefined);
    for (const [uri, expected] of [
      ['service://audit-log', { action: 'audit_log.read', outcome: 'ok' }],
      ['service://dispatch-board', { action: 'dispatch_board.read', outcome: 'ok' }],
      [`service://work-orders/${id}`, { action: 'work_order.read', entity_id: id, outcome: 'ok' }],
      [`service://invoices/${id}`, { action: 'invoice.read', entity_id: id, outcome: 'failed' }],
      ['service://nothing', { action: 'resource.refused', entity_id: null, outcome: 'failed' }],
    ] as [string, Record<string, unknown>][]) {
      expect(await expectOneEntry(read(uri)), uri).to.include({
        ...expected,
        tool: null,
        request_id: REQUEST_ID,
      });
    }
  });

  it("an MCP write leaves its command's audit entry, and a replay, a dry run and a reused key leave one each", async () => {
    const key = newId();
    const args = { service_type: 'tow', idempotency_key: key };
    const created = await expectOneEntry(() => agent.callOk('create_work_order', args));
    expect(created).to.include({ tool: 'create_work_order', action: 'work_order.created', outcome: 'ok' });
    expect(created).to.include({ request_id: REQUEST_ID, idempotency_key: key, response_status: 201 });
    expect(created.changes).to.not.equal(null);
    const replay = await expectOneEntry(() => agent.callOk('create_work_order', args));
    expect(replay).to.include({
      outcome: 'ok',
      idempotency_key: key,
      entity_id: created.entity_id,
      changes: null,
    });
    const dry = await expectOneEntry(() =>
      agent.callOk('create_work_order', { service_type: 'tow', dry_run: true }),
    );
    expect(dry).to.include({ outcome: 'dry_run', tool: 'create_work_order' });
    const reused = await expectOneEntry(() =>
      agent.callRefused('create_work_order', { ...args, service_type: 'other' }),
    );
    expect(reused).to.include({ outcome: 'failed', idempotency_key: key, response_status: 422 });
    expect(reused.error.code).to.equal('idempotency_key_reused');
  });

  it('a held write and a proposal over MCP leave one audit entry each', async () => {
    await tenant.client.patch('/settings', { agent_gate_cents: 100 });
    const work_order_id = await createWorkOrder();
    const lineItem = { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', taxable: false };
    const draft = (cents: number) => ({
      work_order_id,
      line_items: [{ ...lineItem, unit_price_cents: cents }],
    });
    const held = await expectOneEntry(() => agent.callOk('create_invoice_draft', draft(100)));
    expect(held).to.include({ outcome: 'held', action: 'invoice.created', tool: 'create_invoice_draft' });
    const { id: invoice_id } = await agent.callOk('create_invoice_draft', draft(99));
    const proposed = await expectOneEntry(() =>
      agent.callOk('propose_invoice_approval', { invoice_id, justification: 'Lines fit the slip.' }),
    );
    expect(proposed).to.include({
      outcome: 'ok',
      tool: 'propose_invoice_approval',
      action: 'approval.proposed',
    });
  });

  it('each refused MCP call leaves one audit entry: wrong arguments, wrong state, unknown record or tool', async () => {
    const key = newId();
    const invalid = await expectOneEntry(() =>
      agent.callRefused('create_work_order', { service_type: 5, idempotency_key: key }),
    );
    expect(invalid).to.include({ outcome: 'failed', response_status: 400, idempotency_key: key });
    const unknown = newId();
    const missing = await expectOneEntry(() => agent.callRefused('get_invoice', { invoice_id: unknown }));
    expect(missing).to.include({ outcome: 'failed', response_status: 404, entity_id: unknown });
    const failed = await expectOneEntry(() =>
      agent.callRefused('create_invoice_draft', { work_order_id: unknown }),
    );
    expect(failed).to.include({ outcome: 'failed', tool: 'create_invoice_draft' });
    const rehearsed = await expectOneEntry(() =>
      agent.callRefused('create_invoice_draft', { work_order_id: unknown, dry_run: true }),
    );
    expect(rehearsed).to.include({ outcome: 'dry_run', tool: 'create_invoice_draft' });
    const noTool = await expectOneEntry(() => agent.call('drop_tables').catch(() => undefined));
    expect(noTool).to.include({ outcome: 'failed', tool: 'drop_tables', action: 'tool.refused' });
  });

  it('each denied MCP call leaves one audit entry: missing scope, read-only key, wrong kind of key', async () => {
    const reader = await connectAgent(stack, tenant, { readOnly: true });
    const denied = await expectOneEntry(() =>
      reader.callRefused('create_work_order', { service_type: 'tow' }),
    );
    expect(denied).to.include({ outcome: 'denied', tool: 'create_work_order', response_status: 403 });
    expect(denied.error.code).to.equal('read_only_key');
    const narrow = await connectAgent(stack, tenant, { scopes: ['read_customers'] });
    expect(await expectOneEntry(() => narrow.callRefused('list_invoices'))).to.include({ outcome: 'denied' });
    const uri = 'service://audit-log';
    const read = await expectOneEntry(() => narrow.client.readResource({ uri }).catch(() => undefined));
    expect(read).to.include({ outcome: 'denied', action: 'audit_log.read' });
    await Promise.all([reader.client.close(), narrow.client.close()]);
    await listNewEntries();
    const response = await new RawMcp(stack.origin, tenant.client.key).request('tools/list');
    expect([response.status, response.body.error.code]).to.deep.equal([403, 'agent_key_required']);
    expect(response.headers['x-ratelimit-remaining']).to.be.a('string');
    const [other, ...more] = await listNewEntries();
    expect(more).to.deep.equal([]);
    expect(other).to.include({
      outcome: 'denied',
      actor_type: 'api_key',
      source: 'mcp',
      action: 'mcp.refused',
    });
  });

  it('an MCP call that fails unexpectedly leaves one audit entry, also as a dry run', async () => {
    await stack.runAsOwner(`
      create function break_job() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
      create trigger break_job before insert on work_orders for each row when (new.pickup_location = 'break') execute function break_job()`);
    const args = { service_type: 'tow', pickup_location: 'break' };
    for (const more of [{}, { dry_run: true }]) {
      const entry = await expectOneEntry(async () => {
        const error = await agent.callRefused('create_work_order', { ...args, ...more });
        expect(error.code).to.equal('internal_error');
        expect(JSON.stringify(error)).to.not.include('broken');
      });
      expect(entry).to.include({ outcome: 'failed', tool: 'create_work_order', response_status: 500 });
    }
  });

  it('a malformed MCP call or read leaves one audit entry', async () => {
    for (const [method, params, expected] of [
      ['tools/call', {}, { tool: null, action: 'tool.refused' }],
      ['tools/call', { name: 'list_invoices', arguments: [] }, { tool: 'list_invoices' }],
      ['tools/call', { name: `${'x'.repeat(63)}😀😀` }, { tool: `${'x'.repeat(63)}😀` }],
      ['resources/read', {}, { tool: null, action: 'resource.refused' }],
    ] as [string, Record<string, unknown>, Record<string, unknown>][]) {
      const entry = await expectOneEntry(async () => {
        const { body } = await new RawMcp(stack.origin, agent.key).request(method, params);
        expect(body.error.code, JSON.stringify(body)).to.equal(-32602);
        expect(body.error.data.error.requestId).to.be.a('string');
      });
      expect(entry).to.include({ ...expected, outcome: 'failed' });
    }
  });

  it('MCP calls and reads return service_unavailable while the audit log cannot be written', async () => {
    const id = await createWorkOrder();
    const role = getAppRole(stack.databaseUrl);
    await stack.runAsOwner(`revoke insert on audit_entries from "${role}"`);
    try {
      for (const [tool, args] of [
        ['list_work_orders', {}],
        ['get_work_order', { work_order_id: id }],
        ['get_invoice', { invoice_id: id }],
        ['create_work_order', { service_type: 5 }],
      ] as [string, Record<string, unknown>][]) {
        const error = await agent.callRefused(tool, args);
        expect(error.code, tool).to.equal('service_unavailable');
        expect(error.requestId).to.equal(REQUEST_ID);
      }
      const uri = `service://work-orders/${id}`;
      const failed = await agent.client.readResource({ uri }).catch((error: unknown) => error as Json);
      expect(failed.data.error.code).to.equal('service_unavailable');
      const noTool = await new RawMcp(stack.origin, agent.key).call('nothing');
      expect(noTool.body.error.data.error.code).to.equal('service_unavailable');
    } finally {
      await stack.runAsOwner(`grant insert on audit_entries to "${role}"`);
    }
    expect(await expectOneEntry(() => agent.callOk('list_work_orders'))).to.include({ outcome: 'ok' });
  });
});
