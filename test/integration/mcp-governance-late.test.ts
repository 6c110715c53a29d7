import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { appRoleOf } from '../../shared/platform/postgres-session.js';
import { startWritesWorker } from '../../workers/writes/index.js';
import { newAgent, type TestAgent } from '../support/agent.js';
import type { Json } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const name = 'create_work_order';

/** The audit entry of a command is its inbox: an entry of the agent's process under the same id would make the command look done. */
describe('calls of agents whose commands run later', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  beforeEach(async () => {
    stack = await TestStack.start({ worker: false, environment: { WRITE_TIMEOUT_MS: '700' } });
    tenant = await stack.createTenant();
    agent = await newAgent(stack, tenant);
  });
  afterEach(async () => {
    await agent.client.close();
    await stack.stop();
  });

  const entries = () =>
    stack.rows<Json>(
      tenant.id,
      'select * from audit_entries where tenant_id = $1 and tool = $2 order by occurred_at, id',
      [tenant.id, name],
    );
  const jobs = async () => (await tenant.client.get('/work-orders')).body.data.items as Json[];
  const argsOf = (key: string) => ({ service_type: 'tow', idempotency_key: key });

  it('are told 202 as a success that is queued, and leave the entry of their command', async () => {
    const queued = await agent.ok(name, argsOf(newId()));
    expect(queued).to.deep.include({ ok: true });
    expect(queued.data.status).to.equal('queued');
    expect(await entries()).to.deep.equal([]);
    startWritesWorker(stack.runtime);
    await eventually('the job', async () => (await jobs()).length === 1);
    const [own, ...more] = await entries();
    expect(more).to.deep.equal([]);
    expect(own).to.include({ id: queued.data.operation_id, outcome: 'ok', source: 'mcp' });
  });

  it('are told 503 when nobody can say, and the command still runs, once', async () => {
    const key = newId();
    const role = appRoleOf(stack.databaseUrl);
    await stack.asOwner(`revoke insert on operations from "${role}"`);
    expect((await agent.refused(name, argsOf(key))).code).to.equal('service_unavailable');
    await stack.asOwner(`grant insert on operations to "${role}"`);
    const [refusal, ...none] = await entries();
    expect(none).to.deep.equal([]);
    expect(refusal).to.include({ outcome: 'failed', response_status: 503, idempotency_key: key });
    startWritesWorker(stack.runtime);
    await eventually('the job', async () => (await jobs()).length === 1);
    const again = await agent.ok(name, argsOf(key));
    const [job, ...others] = await jobs();
    expect([again.id, others]).to.deep.equal([job.id, []]);
    const all = await entries();
    expect(all.map(({ outcome, changes }) => [outcome, changes !== null])).to.deep.equal([
      ['failed', false],
      ['ok', true],
      ['ok', false],
    ]);
  });

  it('have made nothing while their entry cannot be written, and run once it can', async () => {
    const role = appRoleOf(stack.databaseUrl);
    startWritesWorker(stack.runtime);
    await stack.asOwner(`revoke insert on audit_entries from "${role}"`);
    const queued = await agent.ok(name, argsOf(newId())).finally(async () => {
      expect([await jobs(), await entries()]).to.deep.equal([[], []]);
      await stack.asOwner(`grant insert on audit_entries to "${role}"`);
    });
    expect(queued.data.status).to.equal('queued');
    await eventually('the job', async () => (await jobs()).length === 1);
    expect((await entries()).map(({ id, outcome }) => [id, outcome])).to.deep.equal([
      [queued.data.operation_id, 'ok'],
    ]);
  });

  it('are told that the same call is under way, and the first one runs', async () => {
    const key = newId();
    const both = [0, 1].map(() => agent.call(name, argsOf(key)));
    const told = await Promise.any(
      both.map(async (call) => {
        const { isError, content } = await call;
        if (!isError) throw new Error('this one is the first');
        return JSON.parse((content[0] as { text: string }).text);
      }),
    );
    expect(told.code).to.equal('idempotency_in_progress');
    startWritesWorker(stack.runtime);
    await Promise.all(both);
    await eventually('the job', async () => (await jobs()).length === 1);
    const outcomes = (await entries()).map(({ outcome }) => outcome);
    expect(outcomes).to.include('failed').and.include('ok');
  });

  it('leave an entry when their worker never comes to an end with them', async () => {
    const dry = await agent.refused(name, { service_type: 'tow', dry_run: true });
    expect(dry.code).to.equal('service_unavailable');
    const [entry, ...more] = await entries();
    expect(more).to.deep.equal([]);
    expect(entry).to.include({ outcome: 'failed', response_status: 503 });
  });
});
