import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { NEWEST_VERSION } from '../../mcp/newest-protocol.js';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { withOneAccount } from '../support/accounts.js';
import type { Answer, Json } from '../support/client.js';
import { RawMcp } from '../support/raw-mcp.js';
import type { TestStack, TestTenant } from '../support/stack.js';

describe('MCP messages', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let mcp: RawMcp;

  withOneAccount(async (account) => {
    ({ stack, tenant } = account);
    mcp = new RawMcp(
      stack.origin,
      await stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES] }),
    );
  });

  /** The error of a JSON-RPC answer. */
  const rpcError = (answer: Answer, status: number, code: number, id: unknown = null): Json => {
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.body.jsonrpc).to.equal('2.0');
    expect(answer.body.id).to.equal(id);
    expect(answer.body.error.code, answer.text).to.equal(code);
    expect(answer.body).to.not.have.property('result');
    return answer.body.error;
  };

  const rpc = (id: unknown, rest: object = { method: 'ping' }) => ({ jsonrpc: '2.0', id, ...rest });

  describe('what is none', () => {
    const notJson = ['', ' ', '{', '{"jsonrpc":"2.0",}', "{'a':1}", '{} {}', 'NaN', '\ufeff{}'];
    it('is no JSON: -32700', async () => {
      for (const body of notJson) rpcError(await mcp.send({ body }), 400, -32700);
      rpcError(await mcp.send({ body: Buffer.from([0x22, 0xff, 0x22]) }), 400, -32700);
    });

    it('is JSON that the REST API refuses too: -32700 with every fault', async () => {
      const deep = `${'['.repeat(21)}${']'.repeat(21)}`;
      const params = (text: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${text}}`;
      const cases: [string, string][] = [
        [params('{"a":1,"a":2}'), 'duplicate_key'],
        ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 'duplicate_key'],
        [params('{"__proto__":{}}'), 'forbidden_key'],
        [params('{"a":{"constructor":{}}}'), 'forbidden_key'],
        [params(`{"a":${deep}}`), 'too_deep'],
        [params('{"a":"\\u0000"}'), 'forbidden_character'],
        ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', 'unsafe_integer'],
      ];
      for (const [body, code] of cases) {
        const { data } = rpcError(await mcp.send({ body }), 400, -32700);
        expect(data.details[0].code, body).to.equal(code);
      }
    });

    it('is JSON, but no message: -32600', async () => {
      const wrong = [null, true, 1, 'ping', {}, { jsonrpc: '2.0' }, { id: 1, method: 'ping' }];
      const wrongVersion = [
        rpc(1, { jsonrpc: '1.0', method: 'ping' }),
        rpc(1, { jsonrpc: 2, method: 'ping' }),
      ];
      const wrongMembers = [rpc(1, {}), rpc(1, { method: 1 }), rpc(1, { method: 'ping', params: [1] })];
      const wrongIds = [null, true, 1.5, {}, [1]].map((id) => rpc(id));
      const extra = [rpc(1, { method: 'ping', extra: 1 }), rpc(1, { result: {}, error: {} })];
      for (const body of [...wrong, ...wrongVersion, ...wrongMembers, ...wrongIds, ...extra])
        rpcError(await mcp.send({ body: JSON.stringify(body) }), 400, -32600);
    });

    it('are many at once: -32600, and none of them is done', async () => {
      const call = { name: 'create_work_order', arguments: { service_type: 'tow', vin: 'BATCHED1' } };
      const many = [1, 2].map((id) => rpc(id, { method: 'tools/call', params: call }));
      for (const body of [many, [many[0]], [], [[many[0]]]])
        rpcError(await mcp.send({ body: JSON.stringify(body) }), 400, -32600);
      const rows = await stack.rows(tenant.id, `select 1 from work_orders where vin = 'BATCHED1'`);
      expect(rows).to.deep.equal([]);
    });

    it('is counted as any other', async () => {
      const first = await mcp.send({ body: '{' });
      const second = await mcp.send({ body: '[]' });
      const left = (answer: Answer) => Number(answer.headers['x-ratelimit-remaining']);
      expect(left(first) - left(second)).to.equal(1);
    });
  });

  it('are of methods that there are: -32601', async () => {
    for (const method of ['tools/lst', '', 'notifications/initialized', 'logging/setLevel', 'toString'])
      rpcError(await mcp.ask(method, {}, { id: 7 }), 200, -32601, 7);
    for (const method of ['tasks/list', 'completion/complete', 'sampling/createMessage', '__proto__'])
      rpcError(await mcp.ask(method, {}, { id: 7 }), 200, -32601, 7);
  });

  it('have the params of their method: -32602 that names what is wrong', async () => {
    const cases: [string, object, RegExp][] = [
      ['resources/read', {}, /params\.uri/],
      ['resources/read', { uri: 1 }, /params\.uri/],
      ['prompts/get', {}, /params\.name/],
      ['tools/call', {}, /name/],
      ['tools/call', { name: 'list_invoices', arguments: [1] }, /arguments/],
      ['initialize', {}, /params\.protocolVersion/],
      ['tools/list', { cursor: 1 }, /params\.cursor/],
    ];
    for (const [method, params, fault] of cases) {
      const { message, data } = rpcError(await mcp.ask(method, params), 200, -32602, 1);
      expect(message, method)
        .to.match(fault)
        .and.to.not.match(/zod|stack|\bat \/|\n/i);
      expect(data.requestId).to.be.a('string');
    }
  });

  it('that ask for a task are done as if they had not: there are none here', async () => {
    const answer = await mcp.ask('tools/call', { name: 'list_invoices', arguments: {}, task: { ttl: 1000 } });
    expect(answer.body.result.structuredContent.count).to.equal(0);
  });

  describe('MCP-Protocol-Version', () => {
    const versioned = (version: string, body: unknown) =>
      mcp.send({ headers: { 'mcp-protocol-version': version }, body });

    it('is one that is spoken here, or the answer says which are', async () => {
      for (const version of SUPPORTED_PROTOCOL_VERSIONS)
        expect((await versioned(version, rpc(1))).status).to.equal(200);
      for (const version of ['', '2023-01-01', 'latest', `${LATEST_PROTOCOL_VERSION}, 2024-11-05`]) {
        const { data } = rpcError(await versioned(version, rpc('a')), 400, -32022, 'a');
        expect(data.supported).to.deep.equal([NEWEST_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS]);
      }
    });

    it('is agreed on at initialize: the one asked for, or else our newest', async () => {
      const agree = async (protocolVersion: string, headers = {}) => {
        const clientInfo = { name: 'test', version: '1' };
        const params = { protocolVersion, capabilities: {}, clientInfo };
        return (await mcp.ask('initialize', params, { headers })).body.result;
      };
      for (const version of SUPPORTED_PROTOCOL_VERSIONS)
        expect((await agree(version)).protocolVersion).to.equal(version);
      for (const version of ['1999-01-01', '', '2099-01-01'])
        expect((await agree(version)).protocolVersion).to.equal(LATEST_PROTOCOL_VERSION);
      const told = await agree('2099-01-01', { 'mcp-protocol-version': '2099-01-01' });
      expect(told.protocolVersion).to.equal(LATEST_PROTOCOL_VERSION);
      expect(told.serverInfo.name).to.equal('tow-dispatch');
      expect(Object.keys(told.capabilities).sort()).to.include.members(['prompts', 'resources', 'tools']);
    });

    it('needs no initialize before it, and no session', async () => {
      const answer = await mcp.ask('tools/list', {}, { headers: { 'mcp-session-id': 'made-up' } });
      expect(answer.body.result.tools).to.have.length(10);
      expect(answer.headers).to.not.have.property('mcp-session-id');
    });
  });

  it('that want no answer get 202 and nothing more', async () => {
    const notifications = ['initialized', 'cancelled', 'progress', 'roots/list_changed', 'unheard/of'];
    const messages: object[] = notifications.map((name) => ({
      jsonrpc: '2.0',
      method: `notifications/${name}`,
    }));
    messages.push(rpc(1, { result: {} }), rpc('x', { error: { code: 1, message: 'no' } }));
    for (const body of messages) {
      const answer = await mcp.send({ body });
      expect([answer.status, answer.text], JSON.stringify(body)).to.deep.equal([202, '']);
    }
  });

  describe('ids', () => {
    it('come back as they were', async () => {
      const ids = [0, -1, 1, Number.MAX_SAFE_INTEGER, '', '0', '1', 'a b', 'ü\u{1f600}\n"', 'x'.repeat(5000)];
      for (const id of ids)
        expect((await mcp.send({ body: rpc(id) })).body).to.deep.equal({ ...rpc(id, {}), result: {} });
      for (const id of ids) rpcError(await mcp.ask('nothing/here', {}, { id }), 200, -32601, id);
    });

    it('that many clients choose at once lead each answer to its own asker', async () => {
      const other = await stack.createTenant('Other Towing');
      const key = await stack.createKey(other.id, { kind: 'agent', scopes: ['read_customers'] });
      await Promise.all(
        [tenant, other].map(({ client }, nth) => client.post('/customers', { company_name: `Of ${nth}` })),
      );
      const call = { name: 'list_customers', arguments: {} };
      const asked = Array.from({ length: 60 }, async (_, nth) => {
        const whose = nth % 2;
        const answer = await mcp.ask('tools/call', call, whose === 1 ? { key } : {});
        const names = answer.body.result.structuredContent.items.map((item: Json) => item.company_name);
        expect([answer.body.id, names]).to.deep.equal([1, [`Of ${whose}`]]);
      });
      await Promise.all(asked);
    });
  });

  it('and what is said to them carry the request id', async () => {
    const headers = { 'x-request-id': 'trace:1/2' };
    const unsafe = await mcp.send({ headers: { 'x-request-id': 'a b' }, body: rpc(1) });
    expect(unsafe.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    const answers = {
      good: await mcp.send({ headers, body: rpc(1) }),
      notified: await mcp.send({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
      envelope: await mcp.send({ headers, key: null, body: rpc(1) }),
      rpc: await mcp.send({ headers, body: '{' }),
      params: await mcp.ask('prompts/get', {}, { headers }),
      tool: await mcp.ask('tools/call', { name: 'get_invoice', arguments: {} }, { headers }),
      resource: await mcp.ask('resources/read', { uri: 'service://nothing' }, { headers }),
    };
    for (const [what, answer] of Object.entries(answers))
      expect(answer.headers['x-request-id'], what).to.equal('trace:1/2');
    expect(answers.envelope.body.error.requestId).to.equal('trace:1/2');
    expect(answers.rpc.body.error.data.requestId).to.equal('trace:1/2');
    expect(answers.params.body.error.data.requestId).to.equal('trace:1/2');
    expect(JSON.parse(answers.tool.body.result.content[0].text).requestId).to.equal('trace:1/2');
    expect(answers.resource.body.error.data.error.requestId).to.equal('trace:1/2');
  });
});
