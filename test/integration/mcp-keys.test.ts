import { expect } from 'chai';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { TestAgent } from '../support/agent.js';
import type { TestClient } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { RawMcp } from '../support/raw-mcp.js';
import { signIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const READING = AGENT_SCOPES.filter((scope) => scope.startsWith('read_'));

describe('agent keys at /mcp', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const agents: TestAgent[] = [];

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(async () => {
    await Promise.all(agents.map(({ client }) => client.close()));
    await stack.stop();
  });

  async function connect(key: string): Promise<TestAgent> {
    const agent = await TestAgent.connect(stack.origin, key);
    agents.push(agent);
    return agent;
  }

  async function make(client: TestClient, body: Record<string, unknown> = {}) {
    const made = await client.post('/agent-keys', { name: 'Booker', scopes: AGENT_SCOPES, ...body });
    expect(made.status, made.text).to.equal(201);
    return made.body as { id: string; key: string };
  }

  /** Whether /mcp lets a key in now. */
  async function letsIn(key: string): Promise<boolean> {
    return connect(key).then(
      () => true,
      (error: { code?: number }) => {
        expect(error.code, String(error)).to.equal(401);
        return false;
      },
    );
  }

  it('that an API key with admin makes work at once, and the audit log names them', async () => {
    const { id, key } = await make(tenant.client);
    const agent = await connect(key);
    const job = await agent.ok('create_work_order', { service_type: 'light_duty_tow' });
    const { items } = (await tenant.client.get(`/audit-log?entity_id=${job.id}`)).body.data;
    expect(items).to.have.length(1);
    expect(items[0]).to.deep.include({
      ...{ action: 'work_order.created', source: 'mcp', tool: 'create_work_order', outcome: 'ok' },
      actor: { type: 'agent', id, name: 'Booker' },
    });
  });

  it('that a signed-in person makes work at once, also those of the sandbox, which see the sandbox alone', async () => {
    const live = await connect((await make(await signIn(stack, { tenantId: tenant.id }))).key);
    const sandboxed = await make(await signIn(stack, { tenantId: tenant.id }, 'sandbox'));
    expect(sandboxed.key).to.match(/^tk_agent_test_/);
    const job = await live.ok('create_work_order', { service_type: 'jump_start' });
    const sandbox = await connect(sandboxed.key);
    expect((await sandbox.refused('get_work_order', { work_order_id: job.id })).code).to.equal('not_found');
    expect((await sandbox.ok('list_work_orders')).items).to.deep.equal([]);
  });

  it('that have nothing but read and write, or no admin, make none', async () => {
    const weak = stack.clientWith(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    expect((await weak.post('/agent-keys', { name: 'x', scopes: READING })).status).to.equal(403);
    const agent = stack.clientWith((await make(tenant.client)).key);
    expect((await agent.post('/agent-keys', { name: 'x', scopes: READING })).status).to.equal(403);
  });

  it('that are read-only see the tools that read, and are told so by those that write', async () => {
    const agent = await connect((await make(tenant.client, { scopes: READING, read_only: true })).key);
    const { tools } = await agent.client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).to.equal(true);
    expect(tools).to.have.length(7);
    const refused = await agent.refused('create_work_order', { service_type: 'jump_start' });
    expect(refused.code).to.equal('read_only_key');
    expect(refused.next_step).to.be.a('string');
  });

  it('end when their time is up, although the process knows them already', async () => {
    const { key } = await make(tenant.client, { expires_at: new Date(Date.now() + 2000).toISOString() });
    const agent = await connect(key);
    await agent.ok('list_invoices');
    await eventually('401', async () => !(await letsIn(key)), 10_000);
    expect(await agent.call('list_invoices').catch((error: { code?: number }) => error.code)).to.equal(401);
  });

  it('are rolled with an overlap in which old and new work, and without one the old one ends', async () => {
    const old = await make(tenant.client);
    const next = await tenant.client.post(`/agent-keys/${old.id}/roll`, { overlap_hours: 1 });
    expect(next.status, next.text).to.equal(201);
    expect([await letsIn(old.key), await letsIn(next.body.key)]).to.deep.equal([true, true]);
    const last = await tenant.client.post(`/agent-keys/${next.body.id}/roll`, { overlap_hours: 0 });
    expect(await letsIn(last.body.key)).to.equal(true);
    await eventually('the end of the one before', async () => !(await letsIn(next.body.key)), 6000);
    expect(await letsIn(old.key), 'its own overlap goes on').to.equal(true);
  });

  it('end within seconds of being revoked, in the middle of their work, and a 401 says no more than that', async () => {
    const { id, key } = await make(tenant.client);
    const agent = await connect(key);
    await agent.ok('get_dispatch_board');
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
    const { status, headers, body } = await new RawMcp(stack.origin, key).ask('ping');
    expect([status, String(headers['www-authenticate']).split(' ')[0]]).to.deep.equal([401, 'Bearer']);
    expect([body.ok, body.error.code]).to.deep.equal([false, 'unauthorized']);
    expect(body.error.message).to.match(/unknown, revoked or expired/);
  });
});
