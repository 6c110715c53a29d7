import { expect } from 'chai';
import { connectAgent, TestAgent } from '../../../support/agents/agent.js';
import { type Json, TestClient } from '../../../support/client.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import { invoiceInput } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';
import { useStack } from '../../../support/use-stack.js';

type Insert = (client: TestClient) => Promise<unknown>;

/**
 * For each list tool: a function that adds a record to the list (`insert`), the filter that the
 * tests use for pages (`args`), and a different filter (`other`).
 */
const LISTS: Record<
  string,
  { insert: Insert; args?: Record<string, unknown>; other: Record<string, unknown> }
> = {
  list_invoices: {
    insert: (client) => client.post('/invoices', invoiceInput({ line_items: [] })),
    args: { status: 'draft' },
    other: { status: 'paid' },
  },
  list_work_orders: {
    insert: (client) => client.post('/work-orders', { service_type: 'tow' }),
    args: { status: 'pending' },
    other: { status: 'new' },
  },
  list_customers: {
    insert: (client) => client.post('/customers', { company_name: 'Hudson Auto Club' }),
    args: { search: 'hudson' },
    other: { search: 'auto' },
  },
  search_audit_log: {
    insert: (client) => client.post('/customers', { company_name: 'Hudson Auto Club' }),
    args: { entity_type: 'customer' },
    other: { entity_type: 'invoice' },
  },
};

describe('pages of list tools', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant);
    await agent.client.listTools();
    return () => agent.client.close();
  });

  const insertRows = (insert: Insert, count: number) =>
    Promise.all(Array.from({ length: count }, () => insert(tenant.client)));

  for (const [tool, { insert, args = {}, other }] of Object.entries(LISTS)) {
    it(`pages of ${tool} have no duplicates and no gaps while rows are added`, async () => {
      await insertRows(insert, 23);
      const whole = (await agent.callOk(tool, { ...args, limit: 100 })).items.map(({ id }: Json) => id);
      expect(whole).to.have.length(23);
      const seen: string[] = [];
      const sizes: number[] = [];
      let cursor: string | null | undefined;
      do {
        const limit = [3, 7, 1][sizes.length % 3];
        const page: Json = await agent.callOk(tool, { ...args, limit, ...(cursor ? { cursor } : {}) });
        expect(page.count).to.equal(page.items.length);
        seen.push(...page.items.map(({ id }: Json) => id));
        sizes.push(page.count);
        cursor = page.cursor;
        await insertRows(insert, 2);
      } while (cursor !== null);
      expect(seen).to.deep.equal(whole);
      expect(sizes).to.deep.equal([3, 7, 1, 3, 7, 1, 1]);
    });

    it(`a cursor of ${tool} works only with the same tool, account and filters`, async () => {
      await insertRows(insert, 3);
      const { cursor } = await agent.callOk(tool, { ...args, limit: 1 });
      const second = (await agent.callOk(tool, { ...args, cursor, limit: 1 })).items[0].id;
      // Another key of the account can use the cursor too.
      const colleague = await connectAgent(stack, tenant);
      expect((await colleague.callOk(tool, { ...args, cursor })).items[0].id).to.equal(second);

      const expectInvalidCursor = async (by: TestAgent, name: string, given: Record<string, unknown>) => {
        const error = await by.callRefused(name, { ...given, cursor });
        expect(error.code, name).to.equal('invalid_cursor');
        expect(error.next_step).to.equal('Call the list again without cursor.');
      };
      await expectInvalidCursor(agent, tool, other);
      await expectInvalidCursor(agent, tool, {});
      for (const name of Object.keys(LISTS)) if (name !== tool) await expectInvalidCursor(agent, name, {});
      const otherAgent = await connectAgent(stack, await stack.createTenant());
      await expectInvalidCursor(otherAgent, tool, args);
      const sandboxKey = await stack.createKey(
        tenant.sandboxId,
        { kind: 'agent', scopes: ['read_invoices', 'read_work_orders', 'read_customers', 'read_audit'] },
        'sandbox',
      );
      const sandboxAgent = await TestAgent.connect(stack.origin, sandboxKey);
      await expectInvalidCursor(sandboxAgent, tool, args);
      for (const one of [colleague, otherAgent, sandboxAgent]) await one.client.close();
    });
  }

  it('cursors of MCP tools and of the REST API are not interchangeable', async () => {
    await insertRows(LISTS.list_customers?.insert as Insert, 2);
    const { cursor } = await agent.callOk('list_customers', { limit: 1 });
    const restResponse = await tenant.client.get(`/customers?cursor=${cursor}`);
    expect([restResponse.status, restResponse.body.error?.code]).to.deep.equal([400, 'invalid_cursor']);
    const restCursor = (await tenant.client.get('/customers?limit=1')).body.data.cursor;
    expect((await agent.callRefused('list_customers', { cursor: restCursor })).code).to.equal(
      'invalid_cursor',
    );
  });

  it('list_customers names at most 20 items in its text, and returns all of them as structured content', async () => {
    await insertRows(LISTS.list_customers?.insert as Insert, 60);
    const result = await agent.call('list_customers', { limit: 100 });
    expect((result.structuredContent as Json).count).to.equal(60);
    const lines = (result.content[0] as { text: string }).text.split('\n');
    // The text has a heading, a warning, an opening mark, 20 items, a line that counts the
    // remaining items, and a closing mark.
    expect(lines).to.have.length(25);
    expect(lines.at(-2)).to.equal('- and 40 more');
    expect(lines[0]).to.equal('60 on this page: 60 active. That is all.');
  });
});

describe('tools/list', () => {
  const stack = useStack();

  it('tools/list is identical byte for byte for all keys of an account with the same scopes', async () => {
    const tenant = await stack.createTenant();
    const keys = [await connectAgent(stack, tenant), await connectAgent(stack, tenant)];
    const responses = new Set<string>();
    for (let nth = 0; nth < 50; nth += 1) {
      const client = new TestClient(stack.origin, keys[nth % 2]?.key ?? '', '');
      const { status, text } = await client.send('POST', '/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        headers: { 'mcp-protocol-version': '2025-11-25' },
      });
      expect(status, text).to.equal(200);
      responses.add(text);
    }
    expect(responses.size).to.equal(1);
    for (const { client } of keys) await client.close();
  });

  it('the MCP server instructions have fewer than 2048 characters and name only existing tools and arguments', async () => {
    const agent = await connectAgent(stack, await stack.createTenant());
    const instructions = String(agent.client.getInstructions());
    expect(instructions.length).to.be.within(100, 2047);
    expect(instructions).to.include('SAME one when you retry');
    const text = JSON.stringify((await agent.client.listTools()).tools);
    for (const [name] of instructions.matchAll(/[a-z]+_[a-z_]+/g)) expect(text).to.include(name);
    await agent.client.close();
  });

  it('GET /mcp/manifest shows the same tools as tools/list, plus their scopes', async () => {
    const agent = await connectAgent(stack, await stack.createTenant());
    const { tools } = await agent.client.listTools();
    const manifest = await new TestClient(stack.origin, '', '').send('GET', '/mcp/manifest', { key: null });
    expect(manifest.status).to.equal(200);
    expect(manifest.headers['content-type']).to.equal('application/json');
    expect(manifest.body.tools.map(({ scope: _scope, ...tool }: Json) => tool)).to.deep.equal(tools);
    const withKey = await new TestClient(stack.origin, 'nonsense', '').send('GET', '/mcp/manifest');
    expect(withKey.text).to.equal(manifest.text);
    expect(manifest.body.links.mcp).to.match(/\/mcp$/);
    const post = await new TestClient(stack.origin, '', '').send('POST', '/mcp/manifest', {
      body: {},
      key: null,
    });
    expect([post.status, post.headers.allow]).to.deep.equal([405, 'GET']);
    await agent.client.close();
  });
});
