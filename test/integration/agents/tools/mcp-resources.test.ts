import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { AGENT_SCOPES, type AgentScope } from '../../../../shared/contracts/vocabulary.js';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import type { Json } from '../../../support/client.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import { createInvoiceAfter, createWorkOrderAfter } from '../../../support/records/lifecycle-records.js';
import { UNKNOWN_ID, withoutLinks } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const FIXED_RESOURCES = { 'service://audit-log': 'read_audit', 'service://dispatch-board': 'read_dispatch' };
const RESOURCE_TEMPLATES = {
  'service://invoices/{id}': 'read_invoices',
  'service://work-orders/{id}': 'read_work_orders',
  'service://customers/{id}': 'read_customers',
};
const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

describe('MCP resources and prompts', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;
  const ids: Record<string, string> = {};

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant);
    const customer = { company_name: 'Hudson\u202E Auto Club' };
    ids.customers = (await tenant.client.post('/customers', customer)).body.id;
    ids.invoices = await createInvoiceAfter(tenant.client, ['approve'], { customer_id: ids.customers });
    ids['work-orders'] = await createWorkOrderAfter(tenant.client, ['assign']);
    return () => agent.client.close();
  });

  const read = async (uri: string, by = agent): Promise<Json> => {
    const { contents } = await by.client.readResource({ uri });
    expect(contents).to.have.length(1);
    expect(contents[0]).to.include({ uri, mimeType: 'application/json' });
    return JSON.parse((contents[0] as { text: string }).text);
  };
  /** Asserts that reading the URI fails, and returns the error without its request id. */
  const expectReadError = async (uri: string, by = agent) => {
    const error = await by.client.readResource({ uri }).then(
      () => undefined,
      (thrown: unknown) => thrown as McpError,
    );
    expect(error, uri).to.be.instanceOf(McpError);
    const { uri: returnedUri, error: toolError } = (error as McpError).data as Json;
    expect(returnedUri).to.equal(uri);
    expect(toolError.requestId).to.be.a('string');
    return { rpc: error?.code, code: toolError.code, message: toolError.message, details: toolError.details };
  };

  it('MCP resources are listed with name, title, description and type, in a fixed sequence', async () => {
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri, name }) => [uri, name])).to.deep.equal([
      ['service://audit-log', 'Audit Log'],
      ['service://dispatch-board', 'Dispatch Board'],
    ]);
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.deep.equal(
      Object.keys(RESOURCE_TEMPLATES),
    );
    for (const one of [...resources, ...resourceTemplates]) {
      expect(one).to.include({ mimeType: 'application/json' });
      expect([one.title, one.description].join('')).to.be.a('string').and.not.include('undefined');
    }
  });

  it('MCP resources are listed by scope, and a read without the scope names the required one', async () => {
    for (const scope of AGENT_SCOPES) {
      const only = await connectAgent(stack, tenant, { scopes: [scope as AgentScope] });
      const { resources } = await only.client.listResources();
      const { resourceTemplates } = await only.client.listResourceTemplates();
      const urisOfScope = (all: Record<string, string>) =>
        Object.keys(all).filter((uri) => all[uri] === scope);
      expect(
        resources.map(({ uri }) => uri),
        scope,
      ).to.deep.equal(urisOfScope(FIXED_RESOURCES));
      expect(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        scope,
      ).to.deep.equal(urisOfScope(RESOURCE_TEMPLATES));
      for (const [uri, required] of Object.entries({ ...FIXED_RESOURCES, ...RESOURCE_TEMPLATES })) {
        const full = uri.replace('{id}', ids[uri.split('/')[2] as string] ?? '');
        if (required === scope) await read(full, only);
        else
          expect(await expectReadError(full, only), `${scope}: ${uri}`).to.deep.include({
            rpc: INVALID_PARAMS,
            code: 'insufficient_scope',
            details: [{ required }],
          });
      }
      await only.client.close();
    }
  });

  it('the MCP resource of a record equals the REST record without invisible characters', async () => {
    for (const collection of ['invoices', 'work-orders']) {
      const body = withoutLinks((await tenant.client.get(`/${collection}/${ids[collection]}`)).body);
      expect(await read(`service://${collection}/${ids[collection]}`)).to.deep.equal(body);
      expect(await read(`service://${collection}/${ids[collection]?.toUpperCase()}`)).to.deep.equal(body);
    }
    const { body } = await tenant.client.get(`/customers/${ids.customers}`);
    expect(await read(`service://customers/${ids.customers}`)).to.deep.equal({
      ...body,
      company_name: 'Hudson Auto Club',
    });
    const booked = await agent.callOk('create_work_order', { service_type: 'tow' });
    expect((await read(`service://work-orders/${booked.id}`)).status).to.equal('new');
  });

  it('the MCP resources show the dispatch board and the newest audit entries, including their own reads', async () => {
    const board = await read('service://dispatch-board');
    const shown = await agent.callOk('get_dispatch_board');
    expect({ ...board, generated_at: 0 }).to.have.all.keys(shown);
    expect(board.counts).to.deep.equal(shown.counts);
    const log = await read('service://audit-log');
    expect(log).to.have.all.keys('items', 'count');
    expect(log.count).to.equal(log.items.length);
    expect(
      log.items.slice(0, 2).map(({ action, tool, outcome }: Json) => [action, tool, outcome]),
    ).to.deep.equal([
      ['dispatch_board.read', 'get_dispatch_board', 'ok'],
      ['dispatch_board.read', null, 'ok'],
    ]);
    const { body } = await tenant.client.get(`/audit-log?limit=${log.count + 1}`);
    const plain = JSON.parse(JSON.stringify(body.data.items.slice(1)).replaceAll('\u202E', ''));
    expect(plain).to.deep.equal(log.items);
  });

  it("unknown records and another account's records get the same MCP resource error with the URI", async () => {
    const otherAgent = await connectAgent(stack, await stack.createTenant());
    for (const collection of ['invoices', 'work-orders', 'customers']) {
      const foreign = await expectReadError(`service://${collection}/${ids[collection]}`, otherAgent);
      expect(foreign).to.include({ rpc: RESOURCE_NOT_FOUND, code: 'not_found' });
      expect(await expectReadError(`service://${collection}/${UNKNOWN_ID}`)).to.deep.equal(foreign);
    }
    const unknownUris = [
      'service://nothing',
      'service://audit-log/1',
      'service://invoices/',
      'service://invoices/INV-1',
    ];
    for (const uri of [
      ...unknownUris,
      `service://trucks/${UNKNOWN_ID}`,
      `service://invoices/${ids.invoices}/`,
      'file:///etc/passwd',
      '',
    ])
      expect(await expectReadError(uri), uri).to.include({ rpc: RESOURCE_NOT_FOUND, code: 'not_found' });
    await otherAgent.client.close();
  });

  it('failed and denied reads of MCP resources are audited', async () => {
    const other = await connectAgent(stack, await stack.createTenant(), {
      scopes: ['read_audit', 'read_invoices'],
    });
    await expectReadError(`service://invoices/${UNKNOWN_ID}`, other);
    await expectReadError('service://dispatch-board', other);
    await expectReadError('service://nothing', other);
    const { items } = await other.callOk('search_audit_log', { limit: 3 });
    expect(
      items.map(({ action, entity_id, outcome, tool }: Json) => [action, entity_id, outcome, tool]),
    ).to.deep.equal([
      ['resource.refused', null, 'failed', null],
      ['dispatch_board.read', null, 'denied', null],
      ['invoice.read', UNKNOWN_ID, 'failed', null],
    ]);
    await other.client.close();
  });

  it('MCP prompts are listed for keys that may use their tools, and unknown ones get -32602', async () => {
    const { prompts } = await agent.client.listPrompts();
    expect(prompts.map(({ name }) => name)).to.deep.equal(['morning_board', 'needs_approval']);
    for (const { name, title, description } of prompts) {
      expect([title, description].every(Boolean), name).to.equal(true);
      const { messages } = await agent.client.getPrompt({ name });
      expect(messages).to.have.length(1);
      expect(messages[0]).to.nested.include({ role: 'user', 'content.type': 'text' });
    }
    const clerk = await connectAgent(stack, tenant, { scopes: ['read_invoices'] });
    expect((await clerk.client.listPrompts()).prompts.map(({ name }) => name)).to.deep.equal([
      'needs_approval',
    ]);
    for (const [by, name] of [
      [clerk, 'morning_board'],
      [agent, 'nothing'],
      [agent, ''],
    ] as const) {
      const error = await by.client.getPrompt({ name }).then(
        () => undefined,
        (thrown: unknown) => thrown as McpError,
      );
      expect(error?.code, name).to.equal(INVALID_PARAMS);
      expect(error?.message).to.equal(
        'MCP error -32602: There is no such prompt. prompts/list shows the available prompts.',
      );
    }
    await clerk.client.close();
  });
});
