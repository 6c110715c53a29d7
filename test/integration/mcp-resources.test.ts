import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { AGENT_SCOPES, type AgentScope } from '../../shared/contracts/vocabulary.js';
import { withOneAccount } from '../support/accounts.js';
import { newAgent, type TestAgent } from '../support/agent.js';
import type { Json } from '../support/client.js';
import { invoiceAfter, jobAfter } from '../support/lifecycle-records.js';
import { UNKNOWN_ID } from '../support/samples.js';
import type { TestStack, TestTenant } from '../support/stack.js';

const FIXED = { 'service://audit-log': 'read_audit', 'service://dispatch-board': 'read_dispatch' };
const TEMPLATES = {
  'service://invoices/{id}': 'read_invoices',
  'service://work-orders/{id}': 'read_work_orders',
  'service://customers/{id}': 'read_customers',
};
const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

describe('resources of agents', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;
  const ids: Record<string, string> = {};

  withOneAccount(async (account) => {
    ({ stack, tenant } = account);
    agent = await newAgent(stack, tenant);
    const customer = { company_name: 'Hudson\u202E Auto Club' };
    ids.customers = (await tenant.client.post('/customers', customer)).body.id;
    ids.invoices = await invoiceAfter(tenant.client, ['approve'], { customer_id: ids.customers });
    ids['work-orders'] = await jobAfter(tenant.client, ['assign']);
    return () => agent.client.close();
  });

  const read = async (uri: string, by = agent): Promise<Json> => {
    const { contents } = await by.client.readResource({ uri });
    expect(contents).to.have.length(1);
    expect(contents[0]).to.include({ uri, mimeType: 'application/json' });
    return JSON.parse((contents[0] as { text: string }).text);
  };
  /** The protocol's error, without what differs from call to call. */
  const missed = async (uri: string, by = agent) => {
    const error = await by.client.readResource({ uri }).then(
      () => undefined,
      (thrown: unknown) => thrown as McpError,
    );
    expect(error, uri).to.be.instanceOf(McpError);
    const { uri: named, error: told } = (error as McpError).data as Json;
    expect(named).to.equal(uri);
    expect(told.requestId).to.be.a('string');
    return { rpc: error?.code, code: told.code, message: told.message, details: told.details };
  };

  it('are listed with name, title, description and type, in a fixed order', async () => {
    const { resources } = await agent.client.listResources();
    expect(resources.map(({ uri, name }) => [uri, name])).to.deep.equal([
      ['service://audit-log', 'Audit Log'],
      ['service://dispatch-board', 'Dispatch Board'],
    ]);
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).to.deep.equal(Object.keys(TEMPLATES));
    for (const one of [...resources, ...resourceTemplates]) {
      expect(one).to.include({ mimeType: 'application/json' });
      expect([one.title, one.description].join('')).to.be.a('string').and.not.include('undefined');
    }
  });

  it('are listed by scope, and a key without it is told which one it takes', async () => {
    for (const scope of AGENT_SCOPES) {
      const only = await newAgent(stack, tenant, { scopes: [scope as AgentScope] });
      const { resources } = await only.client.listResources();
      const { resourceTemplates } = await only.client.listResourceTemplates();
      const ofScope = (all: Record<string, string>) => Object.keys(all).filter((uri) => all[uri] === scope);
      expect(
        resources.map(({ uri }) => uri),
        scope,
      ).to.deep.equal(ofScope(FIXED));
      expect(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        scope,
      ).to.deep.equal(ofScope(TEMPLATES));
      for (const [uri, required] of Object.entries({ ...FIXED, ...TEMPLATES })) {
        const full = uri.replace('{id}', ids[uri.split('/')[2] as string] ?? '');
        if (required === scope) await read(full, only);
        else
          expect(await missed(full, only), `${scope}: ${uri}`).to.deep.include({
            ...{ rpc: INVALID_PARAMS, code: 'insufficient_scope', details: [{ required }] },
          });
      }
      await only.client.close();
    }
  });

  it('of one record say what REST says, without what nobody sees', async () => {
    for (const collection of ['invoices', 'work-orders']) {
      const { body } = await tenant.client.get(`/${collection}/${ids[collection]}`);
      expect(await read(`service://${collection}/${ids[collection]}`)).to.deep.equal(body);
      expect(await read(`service://${collection}/${ids[collection]?.toUpperCase()}`)).to.deep.equal(body);
    }
    const { body } = await tenant.client.get(`/customers/${ids.customers}`);
    expect(await read(`service://customers/${ids.customers}`)).to.deep.equal({
      ...body,
      company_name: 'Hudson Auto Club',
    });
    const booked = await agent.ok('create_work_order', { service_type: 'tow' });
    expect((await read(`service://work-orders/${booked.id}`)).status).to.equal('new');
  });

  it('show the board and the newest entries of the audit log, their own reads among them', async () => {
    const board = await read('service://dispatch-board');
    const shown = await agent.ok('get_dispatch_board');
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

  it("miss what is not there and another account's alike, with the URI", async () => {
    const stranger = await newAgent(stack, await stack.createTenant());
    for (const collection of ['invoices', 'work-orders', 'customers']) {
      const foreign = await missed(`service://${collection}/${ids[collection]}`, stranger);
      expect(foreign).to.include({ rpc: RESOURCE_NOT_FOUND, code: 'not_found' });
      expect(await missed(`service://${collection}/${UNKNOWN_ID}`)).to.deep.equal(foreign);
    }
    const strange = [
      'service://nothing',
      'service://audit-log/1',
      'service://invoices/',
      'service://invoices/INV-1',
    ];
    for (const uri of [
      ...strange,
      `service://trucks/${UNKNOWN_ID}`,
      `service://invoices/${ids.invoices}/`,
      'file:///etc/passwd',
      '',
    ])
      expect(await missed(uri), uri).to.include({ rpc: RESOURCE_NOT_FOUND, code: 'not_found' });
    await stranger.client.close();
  });

  it('are audited: reads, misses and denials', async () => {
    const other = await newAgent(stack, await stack.createTenant(), {
      scopes: ['read_audit', 'read_invoices'],
    });
    await missed(`service://invoices/${UNKNOWN_ID}`, other);
    await missed('service://dispatch-board', other);
    await missed('service://nothing', other);
    const { items } = await other.ok('search_audit_log', { limit: 3 });
    expect(
      items.map(({ action, entity_id, outcome, tool }: Json) => [action, entity_id, outcome, tool]),
    ).to.deep.equal([
      ['resource.refused', null, 'failed', null],
      ['dispatch_board.read', null, 'denied', null],
      ['invoice.read', UNKNOWN_ID, 'failed', null],
    ]);
    await other.client.close();
  });

  it('have prompts beside them, for keys that may do what they ask for', async () => {
    const { prompts } = await agent.client.listPrompts();
    expect(prompts.map(({ name }) => name)).to.deep.equal(['morning_board', 'needs_approval']);
    for (const { name, title, description } of prompts) {
      expect([title, description].every(Boolean), name).to.equal(true);
      const { messages } = await agent.client.getPrompt({ name });
      expect(messages).to.have.length(1);
      expect(messages[0]).to.nested.include({ role: 'user', 'content.type': 'text' });
    }
    const clerk = await newAgent(stack, tenant, { scopes: ['read_invoices'] });
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
        'MCP error -32602: There is no such prompt. prompts/list shows those there are.',
      );
    }
    await clerk.client.close();
  });
});
