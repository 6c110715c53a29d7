import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { getAppRole } from '../../../../shared/platform/postgres/session.js';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import type { TestTenant } from '../../../support/stack.js';
import { useStack } from '../../../support/use-stack.js';
import { usePausedWrites } from '../../../support/writes/paused-writes.js';

const name = 'create_work_order';

/**
 * The worker skips a command whose id already has an audit entry. So the MCP process must not write
 * an audit entry under the id of a command before that command runs.
 */
describe('MCP writes whose commands run later', () => {
  const stack = useStack({ environment: { WRITE_TIMEOUT_MS: '500' }, clock: true }, 'paused writes');
  const writes = usePausedWrites(stack);
  let tenant: TestTenant;
  let agent: TestAgent;

  beforeEach(async () => {
    tenant = await stack.createTenant();
    agent = await connectAgent(stack, tenant);
  });
  afterEach(() => agent.client.close());

  const listEntries = () =>
    stack.rows<Json>(
      tenant.id,
      'select * from audit_entries where tenant_id = $1 and tool = $2 order by occurred_at, id',
      [tenant.id, name],
    );
  const listWorkOrders = async () => (await tenant.client.get('/work-orders')).body.data.items as Json[];
  const buildArgs = (key: string) => ({ service_type: 'tow', idempotency_key: key });

  it("a queued MCP write returns a success with the status queued, and leaves only its command's audit entry", async () => {
    const queued = await agent.callOk(name, buildArgs(newId()));
    expect(queued).to.deep.include({ ok: true });
    expect(queued.data.status).to.equal('queued');
    expect(await listEntries()).to.deep.equal([]);
    await writes.resume();
    await eventually('the work order', async () => (await listWorkOrders()).length === 1);
    const [own, ...more] = await listEntries();
    expect(more).to.deep.equal([]);
    expect(own).to.include({ id: queued.data.operation_id, outcome: 'ok', source: 'mcp' });
  });

  it('an MCP write with an unknown outcome returns service_unavailable, and its command still runs once', async () => {
    const key = newId();
    const role = getAppRole(stack.databaseUrl);
    await stack.runAsOwner(`revoke insert on operations from "${role}"`);
    expect((await agent.callRefused(name, buildArgs(key))).code).to.equal('service_unavailable');
    await stack.runAsOwner(`grant insert on operations to "${role}"`);
    const [refusal, ...none] = await listEntries();
    expect(none).to.deep.equal([]);
    expect(refusal).to.include({ outcome: 'failed', response_status: 503, idempotency_key: key });
    await writes.resume();
    await eventually('the work order', async () => (await listWorkOrders()).length === 1);
    const again = await agent.callOk(name, buildArgs(key));
    const [workOrder, ...others] = await listWorkOrders();
    expect([again.id, others]).to.deep.equal([workOrder.id, []]);
    const all = await listEntries();
    expect(all.map(({ outcome, changes }) => [outcome, changes !== null])).to.deep.equal([
      ['failed', false],
      ['ok', true],
      ['ok', false],
    ]);
  });

  it('an MCP write changes nothing while its audit entry cannot be written, and runs once it can', async () => {
    const role = getAppRole(stack.databaseUrl);
    await writes.resume();
    await stack.runAsOwner(`revoke insert on audit_entries from "${role}"`);
    const queued = await agent.callOk(name, buildArgs(newId())).finally(async () => {
      expect([await listWorkOrders(), await listEntries()]).to.deep.equal([[], []]);
      // A run that fails before the grant and records its failure after it would end the command.
      await writes.queue.pause();
      await eventually('no write runs', async () => (await writes.queue.getActiveCount()) === 0);
      await stack.runAsOwner(`grant insert on audit_entries to "${role}"`);
    });
    expect(queued.data.status).to.equal('queued');
    await writes.resume();
    await eventually('the work order', async () => (await listWorkOrders()).length === 1);
    expect((await listEntries()).map(({ id, outcome }) => [id, outcome])).to.deep.equal([
      [queued.data.operation_id, 'ok'],
    ]);
  });

  it('a repeated MCP write gets idempotency_in_progress while the first call waits, and the first call runs', async () => {
    const key = newId();
    const calls = [0, 1].map(() => agent.call(name, buildArgs(key)));
    const conflict = await Promise.any(
      calls.map(async (call) => {
        const { isError, content } = await call;
        if (!isError) throw new Error('this one is the first');
        return JSON.parse((content[0] as { text: string }).text);
      }),
    );
    expect(conflict.code).to.equal('idempotency_in_progress');
    await writes.resume();
    await Promise.all(calls);
    await eventually('the work order', async () => (await listWorkOrders()).length === 1);
    const outcomes = (await listEntries()).map(({ outcome }) => outcome);
    expect(outcomes).to.include('failed').and.include('ok');
  });

  it('a dry run that no worker finishes leaves one failed audit entry', async () => {
    const dryRunError = await agent.callRefused(name, { service_type: 'tow', dry_run: true });
    expect(dryRunError.code).to.equal('service_unavailable');
    const [entry, ...more] = await listEntries();
    expect(more).to.deep.equal([]);
    expect(entry).to.include({ outcome: 'failed', response_status: 503 });
  });
});
