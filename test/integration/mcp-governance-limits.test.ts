import { expect } from 'chai';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { newId } from '../../shared/platform/ids.js';
import { TestAgent } from '../support/agent.js';
import type { Answer, Json } from '../support/client.js';
import { RawMcp } from '../support/raw-mcp.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const PER_MINUTE = 4;
const tiers = { standard: { minute: PER_MINUTE, hour: 1_000 }, starter: { minute: 2, hour: 1_000 } };

describe('limits of agents', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let key: string;

  before(async () => {
    stack = await TestStack.start({ environment: { RATE_LIMIT_TIERS: JSON.stringify(tiers) } });
  });
  after(() => stack.stop());
  beforeEach(async () => {
    tenant = await stack.createTenant();
    key = await newKey();
  });

  const newKey = (options: Record<string, unknown> = {}) =>
    stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES], ...options });
  const raw = (by = key) => new RawMcp(stack.origin, by);
  const list = (by = key, id: number | string = 1) => raw(by).ask('tools/list', {}, { id });
  const exhaust = async (by = key) => {
    for (let left = PER_MINUTE - 1; left >= 0; left -= 1) {
      const answer = await list(by);
      expect([answer.status, answer.headers['x-ratelimit-remaining']]).to.deep.equal([200, String(left)]);
    }
  };
  /** Asserts HTTP's 429 around an error that a model can read, and returns its data. */
  const over = (answer: Answer, id: unknown): Json => {
    expect(answer.status, answer.text).to.equal(429);
    expect(answer.headers['x-ratelimit-remaining']).to.equal('0');
    const { jsonrpc, id: told, error } = answer.body;
    expect([jsonrpc, told]).to.deep.equal(['2.0', id]);
    expect(error.data).to.include({ code: 'rate_limited', requestId: answer.headers['x-request-id'] });
    expect(error.data.retryAfterSeconds)
      .to.equal(Number(answer.headers['retry-after']))
      .and.to.be.within(1, 60);
    expect(error.message).to.include(`Try again in ${error.data.retryAfterSeconds} s`);
    return error.data;
  };
  const denials = () =>
    stack.rows<Json>(tenant.id, "select * from audit_entries where tenant_id = $1 and outcome = 'denied'", [
      tenant.id,
    ]);

  it('count every message of a key, and tell how long to wait', async () => {
    await exhaust();
    const data = over(await list(key, 'mine'), 'mine');
    expect(data.details[0]).to.include({ window: 'minute', limit: PER_MINUTE });
    const another = await list(await newKey());
    expect(another.status).to.equal(200);
    // The REST API counts the same key together with it.
    expect((await stack.clientWith(key).get('/invoices')).status).to.equal(429);
  });

  it('count notifications, faulty messages and keys of another kind too', async () => {
    const ping = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const note = await raw().send({ body: JSON.stringify(ping) });
    expect([note.status, note.headers['x-ratelimit-remaining']]).to.deep.equal([202, '3']);
    const array = await raw().send({ body: '[]' });
    expect([array.status, array.headers['x-ratelimit-remaining']]).to.deep.equal([400, '2']);
    const broken = await raw().send({ body: '{' });
    expect([broken.status, broken.headers['x-ratelimit-remaining']]).to.deep.equal([400, '1']);
    await list();
    expect((await raw().send({ body: '{' })).status).to.equal(429);
    for (let left = PER_MINUTE - 1; left >= 0; left -= 1) {
      const answer = await list(tenant.client.key);
      expect([answer.status, answer.headers['x-ratelimit-remaining']]).to.deep.equal([403, String(left)]);
    }
    expect((await list(tenant.client.key)).status).to.equal(429);
    const unknown = await list('tk_agent_nobody');
    expect(unknown.status).to.equal(401);
    expect(unknown.headers).to.not.have.property('x-ratelimit-remaining');
  });

  it('use up no idempotency key, and leave one entry of a call or read', async () => {
    const call = { name: 'create_work_order', args: { service_type: 'tow', idempotency_key: newId() } };
    await exhaust();
    over(await raw().call(call.name, call.args), 1);
    over(await raw().ask('resources/read', { uri: 'service://audit-log' }), 1);
    over(await list(), 1);
    const entries = await denials();
    expect(entries.map(({ tool, action }) => [tool, action])).to.deep.equal([
      ['create_work_order', 'work_order.created'],
      [null, 'audit_log.read'],
    ]);
    expect(entries[0]).to.include({ idempotency_key: call.args.idempotency_key, response_status: 429 });
    const made = await raw(await newKey()).call(call.name, call.args);
    expect(made.body.result.structuredContent, made.text).to.include({ service_type: 'tow' });
    expect(made.headers).to.not.have.property('x-idempotency-replay');
  });

  it("hold all of an account's agents together, and no other account's", async () => {
    for (let nth = 0; nth < 5; nth += 1) {
      const one = await newKey();
      for (let n = 0; n < PER_MINUTE; n += 1) expect((await list(one)).status).to.equal(200);
    }
    const data = over(await list(), 1);
    expect(data.message).to.include("this account's agents");
    const sandbox = await stack.createKey(
      tenant.sandboxId,
      { kind: 'agent', scopes: ['read_audit'] },
      'sandbox',
    );
    expect((await list(sandbox)).headers['x-ratelimit-remaining'], 'starter').to.equal('1');
    const other = await stack.createTenant();
    expect(
      (await list(await stack.createKey(other.id, { kind: 'agent', scopes: ['read_audit'] }))).status,
    ).to.equal(200);
    // People and integrations are not held up by agents.
    expect((await tenant.client.get('/invoices')).status).to.equal(200);
  });

  it('are told by the official client as an error with the status', async () => {
    const agent = await TestAgent.connect(stack.origin, key);
    await list();
    await list();
    const error = await agent.client.listTools().catch((thrown: unknown) => thrown as Json);
    expect(error.code).to.equal(429);
    expect(String(error.message)).to.include('retryAfterSeconds');
    await agent.client.close();
  });
});
