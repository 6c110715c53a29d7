import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { newId } from '../../../../shared/platform/ids.js';
import { TestAgent } from '../../../support/agents/agent.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import type { Json, TestResponse } from '../../../support/client.js';
import type { TestTenant } from '../../../support/stack.js';
import { LIMITED_STACK, LOW_TIERS, useStack } from '../../../support/use-stack.js';

const PER_MINUTE = LOW_TIERS.standard.minute;

describe('rate limits of agents over MCP', () => {
  const stack = useStack(LIMITED_STACK);
  let tenant: TestTenant;
  let key: string;

  beforeEach(async () => {
    tenant = await stack.createTenant();
    key = await createAgentKey();
  });

  const createAgentKey = (options: Record<string, unknown> = {}) =>
    stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES], ...options });
  const rawClient = (by = key) => new RawMcp(stack.origin, by);
  const listTools = (by = key, id: number | string = 1) => rawClient(by).request('tools/list', {}, { id });
  const exhaustLimit = async (by = key) => {
    for (let left = PER_MINUTE - 1; left >= 0; left -= 1) {
      const response = await listTools(by);
      expect([response.status, response.headers['x-ratelimit-remaining']]).to.deep.equal([200, String(left)]);
    }
  };
  const expectRateLimited = (response: TestResponse, id: unknown): Json => {
    expect(response.status, response.text).to.equal(429);
    expect(response.headers['x-ratelimit-remaining']).to.equal('0');
    const { jsonrpc, id: returnedId, error } = response.body;
    expect([jsonrpc, returnedId]).to.deep.equal(['2.0', id]);
    expect(error.data).to.include({ code: 'rate_limited', requestId: response.headers['x-request-id'] });
    expect(error.data.retryAfterSeconds)
      .to.equal(Number(response.headers['retry-after']))
      .and.to.be.within(1, 60);
    expect(error.message).to.include(`Try again in ${error.data.retryAfterSeconds} s`);
    return error.data;
  };
  const listDenials = () =>
    stack.rows<Json>(tenant.id, "select * from audit_entries where tenant_id = $1 and outcome = 'denied'", [
      tenant.id,
    ]);

  it('the rate limit counts every MCP message of a key, and its error says how long to wait', async () => {
    await exhaustLimit();
    const data = expectRateLimited(await listTools(key, 'mine'), 'mine');
    expect(data.details[0]).to.include({ window: 'minute', limit: PER_MINUTE });
    const another = await listTools(await createAgentKey());
    expect(another.status).to.equal(200);
    // The REST API and MCP share the limit of a key.
    expect((await stack.createClient(key).get('/invoices')).status).to.equal(429);
  });

  it('the rate limit counts notifications, invalid messages and keys of another kind too', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const notified = await rawClient().send({ body: JSON.stringify(notification) });
    expect([notified.status, notified.headers['x-ratelimit-remaining']]).to.deep.equal([202, '4']);
    const array = await rawClient().send({ body: '[]' });
    expect([array.status, array.headers['x-ratelimit-remaining']]).to.deep.equal([400, '3']);
    const broken = await rawClient().send({ body: '{' });
    expect([broken.status, broken.headers['x-ratelimit-remaining']]).to.deep.equal([400, '2']);
    for (let left = 2; left > 0; left -= 1) await listTools();
    expect((await rawClient().send({ body: '{' })).status).to.equal(429);
    for (let left = PER_MINUTE - 1; left >= 0; left -= 1) {
      const response = await listTools(tenant.client.key);
      expect([response.status, response.headers['x-ratelimit-remaining']]).to.deep.equal([403, String(left)]);
    }
    expect((await listTools(tenant.client.key)).status).to.equal(429);
    const unknown = await listTools('tk_agent_nobody');
    expect(unknown.status).to.equal(401);
    expect(unknown.headers).to.not.have.property('x-ratelimit-remaining');
  });

  it('a rate-limited call uses no idempotency key, and each limited call or read leaves one audit entry', async () => {
    const call = { name: 'create_work_order', args: { service_type: 'tow', idempotency_key: newId() } };
    await exhaustLimit();
    expectRateLimited(await rawClient().call(call.name, call.args), 1);
    expectRateLimited(await rawClient().request('resources/read', { uri: 'service://audit-log' }), 1);
    expectRateLimited(await listTools(), 1);
    const entries = await listDenials();
    expect(entries.map(({ tool, action }) => [tool, action])).to.deep.equal([
      ['create_work_order', 'work_order.created'],
      [null, 'audit_log.read'],
    ]);
    expect(entries[0]).to.include({ idempotency_key: call.args.idempotency_key, response_status: 429 });
    const created = await rawClient(await createAgentKey()).call(call.name, call.args);
    expect(created.body.result.structuredContent, created.text).to.include({ service_type: 'tow' });
    expect(created.headers).to.not.have.property('x-idempotency-replay');
  });

  it('all agents of an account share a rate limit, separate from its sandbox, its API keys and other accounts', async () => {
    for (let nth = 0; nth < 5; nth += 1) {
      const agentKey = await createAgentKey();
      for (let n = 0; n < PER_MINUTE; n += 1) expect((await listTools(agentKey)).status).to.equal(200);
    }
    const data = expectRateLimited(await listTools(), 1);
    expect(data.message).to.include('account-wide agent limit');
    const sandbox = await stack.createKey(
      tenant.sandboxId,
      { kind: 'agent', scopes: ['read_audit'] },
      'sandbox',
    );
    expect((await listTools(sandbox)).headers['x-ratelimit-remaining'], 'starter').to.equal('2');
    const other = await stack.createTenant();
    expect(
      (await listTools(await stack.createKey(other.id, { kind: 'agent', scopes: ['read_audit'] }))).status,
    ).to.equal(200);
    expect((await tenant.client.get('/invoices')).status).to.equal(200);
  });

  it('the official MCP client reports a rate limit as an error with the status 429', async () => {
    const agent = await TestAgent.connect(stack.origin, key);
    for (const _ of [1, 2, 3]) await listTools();
    const error = await agent.client.listTools().catch((thrown: unknown) => thrown as Json);
    expect(error.code).to.equal(429);
    expect(String(error.message)).to.include('retryAfterSeconds');
    await agent.client.close();
  });
});
