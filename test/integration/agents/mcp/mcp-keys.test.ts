import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { TestAgent } from '../../../support/agents/agent.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import type { TestClient } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { openSession } from '../../../support/records/sign-in.js';
import { useStack, useTenant } from '../../../support/use-stack.js';

const READ_SCOPES = AGENT_SCOPES.filter((scope) => scope.startsWith('read_'));

describe('agent keys at /mcp', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  const agents: TestAgent[] = [];

  after(async () => {
    await Promise.all(agents.map(({ client }) => client.close()));
  });

  async function connect(key: string): Promise<TestAgent> {
    const agent = await TestAgent.connect(stack.origin, key);
    agents.push(agent);
    return agent;
  }

  async function createAgentKey(client: TestClient, body: Record<string, unknown> = {}) {
    const created = await client.post('/agent-keys', { name: 'Booker', scopes: AGENT_SCOPES, ...body });
    expect(created.status, created.text).to.equal(201);
    return created.body as { id: string; key: string };
  }

  async function isAccepted(key: string): Promise<boolean> {
    return connect(key).then(
      () => true,
      (error: { code?: number }) => {
        expect(error.code, String(error)).to.equal(401);
        return false;
      },
    );
  }

  it('an agent key that an API key with admin creates works immediately, and the audit log names it', async () => {
    const { id, key } = await createAgentKey(tenant.client);
    const agent = await connect(key);
    const workOrder = await agent.callOk('create_work_order', { service_type: 'light_duty_tow' });
    const { items } = (await tenant.client.get(`/audit-log?entity_id=${workOrder.id}`)).body.data;
    expect(items).to.have.length(1);
    expect(items[0]).to.deep.include({
      action: 'work_order.created',
      source: 'mcp',
      tool: 'create_work_order',
      outcome: 'ok',
      actor: { type: 'agent', id, name: 'Booker' },
    });
  });

  it('an agent key that a signed-in person creates works immediately, and a key of the sandbox sees only the sandbox', async () => {
    const live = await connect((await createAgentKey(await openSession(stack, { tenantId: tenant.id }))).key);
    const sandboxed = await createAgentKey(await openSession(stack, { tenantId: tenant.id }, 'sandbox'));
    expect(sandboxed.key).to.match(/^tk_agent_test_/);
    const workOrder = await live.callOk('create_work_order', { service_type: 'jump_start' });
    const sandbox = await connect(sandboxed.key);
    expect((await sandbox.callRefused('get_work_order', { work_order_id: workOrder.id })).code).to.equal(
      'not_found',
    );
    expect((await sandbox.callOk('list_work_orders')).items).to.deep.equal([]);
  });

  it('an API key without admin and an agent key cannot create agent keys', async () => {
    const weak = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    expect((await weak.post('/agent-keys', { name: 'x', scopes: READ_SCOPES })).status).to.equal(403);
    const agent = stack.createClient((await createAgentKey(tenant.client)).key);
    expect((await agent.post('/agent-keys', { name: 'x', scopes: READ_SCOPES })).status).to.equal(403);
  });

  it('a read-only agent key lists only tools that read, and tools that write refuse it with read_only_key', async () => {
    const agent = await connect(
      (await createAgentKey(tenant.client, { scopes: READ_SCOPES, read_only: true })).key,
    );
    const { tools } = await agent.client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).to.equal(true);
    expect(tools).to.have.length(7);
    const refused = await agent.callRefused('create_work_order', { service_type: 'jump_start' });
    expect(refused.code).to.equal('read_only_key');
    expect(refused.next_step).to.be.a('string');
  });

  it('an agent key stops working when it expires, although the process has used it before', async () => {
    const { key } = await createAgentKey(tenant.client, {
      expires_at: new Date(Date.now() + 2000).toISOString(),
    });
    const agent = await connect(key);
    await agent.callOk('list_invoices');
    await eventually('401', async () => !(await isAccepted(key)), 10_000);
    expect(await agent.call('list_invoices').catch((error: { code?: number }) => error.code)).to.equal(401);
  });

  it('a rolled agent key works until its overlap ends, and ends immediately without an overlap', async () => {
    const old = await createAgentKey(tenant.client);
    const next = await tenant.client.post(`/agent-keys/${old.id}/roll`, { overlap_hours: 1 });
    expect(next.status, next.text).to.equal(201);
    expect([await isAccepted(old.key), await isAccepted(next.body.key)]).to.deep.equal([true, true]);
    const last = await tenant.client.post(`/agent-keys/${next.body.id}/roll`, { overlap_hours: 0 });
    expect(await isAccepted(last.body.key)).to.equal(true);
    await eventually('the end of the previous key', async () => !(await isAccepted(next.body.key)), 6000);
    expect(await isAccepted(old.key), 'its overlap has not ended').to.equal(true);
  });

  it('a revoked agent key stops working within seconds, and its 401 does not say which reason applies', async () => {
    const { id, key } = await createAgentKey(tenant.client);
    const agent = await connect(key);
    await agent.callOk('get_dispatch_board');
    await tenant.client.delete(`/agent-keys/${id}`);
    const refusal = await eventually(
      'the refusal',
      () =>
        agent.call('get_dispatch_board').then(
          () => undefined,
          (error: { code?: number; message: string }) => error,
        ),
      6000,
    );
    expect(refusal.code).to.equal(401);
    const { status, headers, body } = await new RawMcp(stack.origin, key).request('ping');
    expect([status, String(headers['www-authenticate']).split(' ')[0]]).to.deep.equal([401, 'Bearer']);
    expect([body.ok, body.error.code]).to.deep.equal([false, 'unauthorized']);
    expect(body.error.message).to.match(/unknown, revoked or expired/);
  });
});
