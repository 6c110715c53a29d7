import { expect } from 'chai';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import type { Json } from '../../../support/client.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import { copyWorkOrder, createWorkOrderAfter } from '../../../support/records/lifecycle-records.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

/** MCP clients accept at most this many tokens in one result. */
const MAX_TOKENS = 25_000;

describe('dispatch board of thousands of work orders over MCP', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;
  let urgentId: string;

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant);
    await agent.client.listTools();
    for (let nth = 0; nth < 4; nth += 1) await createWorkOrderAfter(tenant.client, ['assign']);
    urgentId = await createWorkOrderAfter(tenant.client, []);
    await stack.rows(tenant.id, `update work_orders set notes = repeat('Side entrance, ', 20)`);
    await copyWorkOrder(stack, tenant.id, { id: urgentId, count: 5_000 });
    await stack.rows(tenant.id, `update work_orders set priority = 5 where id = '${urgentId}'`);
    return () => agent.client.close();
  });

  const countShown = (board: Json) => ({
    active_jobs: board.active_jobs.length,
    trucks: board.trucks.length,
    unassigned_work_orders: board.unassigned_work_orders.length,
  });

  it('get_dispatch_board shows the most urgent work order first, all active work orders and trucks, and what it omits', async () => {
    const result = await agent.call('get_dispatch_board');
    const board = result.structuredContent as Json;
    expect(board.counts).to.include({ active_jobs: 4, trucks: 4, unassigned_work_orders: 5001 });
    const shown = countShown(board);
    expect(shown).to.include({ active_jobs: 4, trucks: 4 });
    expect(shown.unassigned_work_orders).to.be.within(20, 100);
    expect(board.omitted).to.deep.equal({
      active_jobs: 0,
      trucks: 0,
      unassigned_work_orders: 5001 - shown.unassigned_work_orders,
    });
    expect(board.unassigned_work_orders[0].id).to.equal(urgentId);
    expect((result.content[0] as { text: string }).text)
      .to.include('5001 without a truck')
      .and.to.include('Only the most urgent');
    expect(encode(JSON.stringify(result)).length).to.be.below(MAX_TOKENS);
  });

  it('the resource service://dispatch-board equals the result of get_dispatch_board', async () => {
    const { contents } = await agent.client.readResource({ uri: 'service://dispatch-board' });
    const board = JSON.parse((contents[0] as { text: string }).text);
    const again = await agent.callOk('get_dispatch_board');
    expect(countShown(board)).to.deep.equal(countShown(again));
    expect(board.omitted).to.deep.equal(again.omitted);
  });

  it('GET /dispatch-board shows every work order, and list_work_orders pages through them', async () => {
    const { body } = await tenant.client.send('GET', '/dispatch-board');
    expect(body.unassigned_work_orders).to.have.length(5001);
    expect(body).to.not.have.property('omitted');
    const { items } = await agent.callOk('list_work_orders', { status: 'pending', limit: 200 });
    expect(items).to.have.length(200);
  });

  it('get_dispatch_board omits a completed work order on the next call', async () => {
    const completedId = (await agent.callOk('get_dispatch_board')).active_jobs[0].id;
    await tenant.client.post(`/work-orders/${completedId}/start`, {});
    await tenant.client.post(`/work-orders/${completedId}/complete`, {});
    const board = await agent.callOk('get_dispatch_board');
    expect(board.active_jobs.map(({ id }: Json) => id)).to.not.include(completedId);
    expect(board.counts.active_jobs).to.equal(3);
  });

  it('the resource service://audit-log is limited in size too', async () => {
    const buildNotes = (nth: number) => `${nth} ${'Called the customer, no answer. '.repeat(120)}`;
    for (let nth = 0; nth < 30; nth += 1)
      await tenant.client.patch(`/work-orders/${urgentId}`, { notes: buildNotes(nth) });
    const { contents } = await agent.client.readResource({ uri: 'service://audit-log' });
    const { text } = contents[0] as { text: string };
    const log = JSON.parse(text);
    expect(text.length).to.be.below(52_000);
    expect(log.count).to.equal(log.items.length).and.to.be.within(5, 30);
    expect(log.items[0].action).to.equal('work_order.updated');
  });
});
