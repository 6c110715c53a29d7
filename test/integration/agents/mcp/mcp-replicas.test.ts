import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { TestAgent } from '../../../support/agents/agent.js';
import { APPROVAL_THRESHOLD_CENTS, setApprovalThreshold } from '../../../support/agents/approvals.js';
import type { Json } from '../../../support/client.js';
import { TestStack, type TestTenant } from '../../../support/stack.js';
import { IS_SCALED } from '../../../support/stores.js';

const LINE_ITEM = { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', taxable: false };
const environment = { SECRET_KEY: 'one secret of both processes, long enough' };

/**
 * Checks that guarantees of one MCP process also hold across two processes, which share no memory.
 * Skipped when the product runs as one process.
 */
describe('agents on two MCP processes with the same stores', () => {
  const stacks: TestStack[] = [];
  let tenant: TestTenant;
  let agents: TestAgent[] = [];

  before(async function () {
    if (!IS_SCALED) this.skip();
    const first = await TestStack.start({ environment });
    stacks.push(first, await TestStack.start({ environment, previousStack: first }));
    tenant = await first.createTenant();
    const scopes = ['write_work_orders', 'write_invoices_draft', 'read_work_orders', 'read_invoices'];
    const key = await first.createKey(tenant.id, { kind: 'agent', scopes });
    agents = await Promise.all(stacks.map(({ origin }) => TestAgent.connect(origin, key)));
  });
  after(async () => {
    await Promise.all(agents.map(({ client }) => client.close()));
    for (const stack of stacks.reverse()) await stack.stop();
  });

  const callOnBoth = (tool: string, args: Record<string, unknown>, times: number) =>
    Promise.all(
      Array.from({ length: times }, (_, index) => (agents[index % 2] as TestAgent).call(tool, args)),
    );
  const listSuccessfulResults = (results: Awaited<ReturnType<typeof callOnBoth>>) =>
    results.flatMap(({ isError, structuredContent }) => (isError ? [] : [structuredContent as Json]));

  it('fifty calls with one idempotency key on two processes create one work order', async () => {
    const results = await callOnBoth(
      'create_work_order',
      { service_type: 'tow', idempotency_key: newId() },
      50,
    );
    const created = listSuccessfulResults(results);
    expect(new Set(created.map(({ id }) => id)).size).to.equal(1);
    expect((await tenant.client.get('/work-orders')).body.data.count).to.equal(1);
    for (const { isError, content } of results)
      if (isError) expect(JSON.stringify(content)).to.include('idempotency_in_progress');
    const commandEntries = await stacks[0]?.rows(
      tenant.id,
      "select from audit_entries where tenant_id = $1 and tool = 'create_work_order' and changes is not null",
      [tenant.id],
    );
    expect(commandEntries).to.have.length(1);
  });

  it('drafts on two processes cannot exceed the approval threshold together, and each gets its own number', async () => {
    await setApprovalThreshold(tenant);
    const { id: work_order_id } = (await tenant.client.post('/work-orders', { service_type: 'tow' })).body;
    const line_items = [{ ...LINE_ITEM, unit_price_cents: APPROVAL_THRESHOLD_CENTS / 5 }];
    const results = listSuccessfulResults(
      await callOnBoth('create_invoice_draft', { work_order_id, line_items }, 12),
    );
    const drafts = results.filter(({ status }) => status === 'draft');
    expect([results.length, drafts.length]).to.deep.equal([12, 4]);
    const numbers = results.map(
      ({ invoice_number, approval }) => invoice_number ?? approval.payload.invoice_number,
    );
    expect(new Set(numbers).size).to.equal(12);
  });

  it('a cursor that one process issued works on the other process', async () => {
    await tenant.client.post('/work-orders', { service_type: 'tow' });
    const [one, other] = agents as [TestAgent, TestAgent];
    const first = await one.callOk('list_work_orders', { limit: 1 });
    const second = await other.callOk('list_work_orders', { limit: 1, cursor: first.cursor });
    expect(second.items[0].id).to.not.equal(first.items[0].id);
  });
});
