import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';

import { NEWEST_VERSION } from '../../../../mcp/protocol/newest-protocol.js';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import type { Json, TestResponse } from '../../../support/client.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

describe('MCP messages', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let mcp: RawMcp;

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    mcp = new RawMcp(
      stack.origin,
      await stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES] }),
    );
  });

  const expectRpcError = (response: TestResponse, status: number, code: number, id: unknown = null): Json => {
    expect(response.status, response.text).to.equal(status);
    expect(response.body.jsonrpc).to.equal('2.0');
    expect(response.body.id).to.equal(id);
    expect(response.body.error.code, response.text).to.equal(code);
    expect(response.body).to.not.have.property('result');
    return response.body.error;
  };

  const buildMessage = (id: unknown, rest: object = { method: 'ping' }) => ({ jsonrpc: '2.0', id, ...rest });

  describe('invalid messages', () => {
    const notJson = ['', ' ', '{', '{"jsonrpc":"2.0",}', "{'a':1}", '{} {}', 'NaN', '\ufeff{}'];
    it('a body that is not JSON gets -32700', async () => {
      for (const body of notJson) expectRpcError(await mcp.send({ body }), 400, -32700);
      expectRpcError(await mcp.send({ body: Buffer.from([0x22, 0xff, 0x22]) }), 400, -32700);
    });

    it('JSON that the REST API refuses too gets -32700 with every problem', async () => {
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
        const { data } = expectRpcError(await mcp.send({ body }), 400, -32700);
        expect(data.details[0].code, body).to.equal(code);
      }
    });

    it('JSON that is not an MCP message gets -32600', async () => {
      const wrongValues = [null, true, 1, 'ping', {}, { jsonrpc: '2.0' }, { id: 1, method: 'ping' }];
      const wrongVersion = [
        buildMessage(1, { jsonrpc: '1.0', method: 'ping' }),
        buildMessage(1, { jsonrpc: 2, method: 'ping' }),
      ];
      const wrongMembers = [
        buildMessage(1, {}),
        buildMessage(1, { method: 1 }),
        buildMessage(1, { method: 'ping', params: [1] }),
      ];
      const wrongIds = [null, true, 1.5, {}, [1]].map((id) => buildMessage(id));
      const extra = [
        buildMessage(1, { method: 'ping', extra: 1 }),
        buildMessage(1, { result: {}, error: {} }),
      ];
      for (const body of [...wrongValues, ...wrongVersion, ...wrongMembers, ...wrongIds, ...extra])
        expectRpcError(await mcp.send({ body: JSON.stringify(body) }), 400, -32600);
    });

    it('an array of MCP messages gets -32600, and none of them runs', async () => {
      const call = { name: 'create_work_order', arguments: { service_type: 'tow', vin: 'BATCHED1' } };
      const many = [1, 2].map((id) => buildMessage(id, { method: 'tools/call', params: call }));
      for (const body of [many, [many[0]], [], [[many[0]]]])
        expectRpcError(await mcp.send({ body: JSON.stringify(body) }), 400, -32600);
      const rows = await stack.rows(tenant.id, `select 1 from work_orders where vin = 'BATCHED1'`);
      expect(rows).to.deep.equal([]);
    });

    it('an invalid MCP message counts against the rate limit', async () => {
      const first = await mcp.send({ body: '{' });
      const second = await mcp.send({ body: '[]' });
      const left = (response: TestResponse) => Number(response.headers['x-ratelimit-remaining']);
      expect(left(first) - left(second)).to.equal(1);
    });
  });

  it('an unknown MCP method gets -32601', async () => {
    for (const method of ['tools/lst', '', 'notifications/initialized', 'logging/setLevel', 'toString'])
      expectRpcError(await mcp.request(method, {}, { id: 7 }), 200, -32601, 7);
    for (const method of ['tasks/list', 'completion/complete', 'sampling/createMessage', '__proto__'])
      expectRpcError(await mcp.request(method, {}, { id: 7 }), 200, -32601, 7);
  });

  it('wrong params of an MCP method get -32602 with the wrong field', async () => {
    const cases: [string, object, RegExp][] = [
      ['resources/read', {}, /params\.uri/],
      ['resources/read', { uri: 1 }, /params\.uri/],
      ['prompts/get', {}, /params\.name/],
      ['tools/call', {}, /name/],
      ['tools/call', { name: 'list_invoices', arguments: [1] }, /arguments/],
      ['initialize', {}, /params\.protocolVersion/],
      ['tools/list', { cursor: 1 }, /params\.cursor/],
    ];
    for (const [method, params, problem] of cases) {
      const { message, data } = expectRpcError(await mcp.request(method, params), 200, -32602, 1);
      expect(message, method)
        .to.match(problem)
        .and.to.not.match(/zod|stack|\bat \/|\n/i);
      expect(data.requestId).to.be.a('string');
    }
  });

  it('a tools/call that requests a task runs as a plain call, because the server has no tasks', async () => {
    const response = await mcp.request('tools/call', {
      name: 'list_invoices',
      arguments: {},
      task: { ttl: 1000 },
    });
    expect(response.body.result.structuredContent.count).to.equal(0);
  });

  describe('MCP-Protocol-Version', () => {
    const versioned = (version: string, body: unknown) =>
      mcp.send({ headers: { 'mcp-protocol-version': version }, body });

    it('an unsupported MCP-Protocol-Version gets -32022 with the supported versions', async () => {
      for (const version of SUPPORTED_PROTOCOL_VERSIONS)
        expect((await versioned(version, buildMessage(1))).status).to.equal(200);
      for (const version of ['', '2023-01-01', 'latest', `${LATEST_PROTOCOL_VERSION}, 2024-11-05`]) {
        const { data } = expectRpcError(await versioned(version, buildMessage('a')), 400, -32022, 'a');
        expect(data.supported).to.deep.equal([NEWEST_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS]);
      }
    });

    it('initialize returns the requested protocol version, or else the newest version that has initialize', async () => {
      const negotiate = async (protocolVersion: string, headers = {}) => {
        const clientInfo = { name: 'test', version: '1' };
        const params = { protocolVersion, capabilities: {}, clientInfo };
        return (await mcp.request('initialize', params, { headers })).body.result;
      };
      for (const version of SUPPORTED_PROTOCOL_VERSIONS)
        expect((await negotiate(version)).protocolVersion).to.equal(version);
      for (const version of ['1999-01-01', '', '2099-01-01'])
        expect((await negotiate(version)).protocolVersion).to.equal(LATEST_PROTOCOL_VERSION);
      const negotiated = await negotiate('2099-01-01', { 'mcp-protocol-version': '2099-01-01' });
      expect(negotiated.protocolVersion).to.equal(LATEST_PROTOCOL_VERSION);
      expect(negotiated.serverInfo.name).to.equal('tow-dispatch');
      expect(Object.keys(negotiated.capabilities).sort()).to.include.members([
        'prompts',
        'resources',
        'tools',
      ]);
    });

    it('tools/list needs no initialize before it, and no session', async () => {
      const response = await mcp.request('tools/list', {}, { headers: { 'mcp-session-id': 'made-up' } });
      expect(response.body.result.tools).to.have.length(10);
      expect(response.headers).to.not.have.property('mcp-session-id');
    });
  });

  it('notifications and responses of an MCP client get 202 with an empty body', async () => {
    const notifications = ['initialized', 'cancelled', 'progress', 'roots/list_changed', 'unheard/of'];
    const messages: object[] = notifications.map((name) => ({
      jsonrpc: '2.0',
      method: `notifications/${name}`,
    }));
    messages.push(buildMessage(1, { result: {} }), buildMessage('x', { error: { code: 1, message: 'no' } }));
    for (const body of messages) {
      const response = await mcp.send({ body });
      expect([response.status, response.text], JSON.stringify(body)).to.deep.equal([202, '']);
    }
  });

  describe('ids of MCP messages', () => {
    it('an MCP response has exactly the id of its request', async () => {
      const ids = [0, -1, 1, Number.MAX_SAFE_INTEGER, '', '0', '1', 'a b', 'ü\u{1f600}\n"', 'x'.repeat(5000)];
      for (const id of ids)
        expect((await mcp.send({ body: buildMessage(id) })).body).to.deep.equal({
          ...buildMessage(id, {}),
          result: {},
        });
      for (const id of ids) expectRpcError(await mcp.request('nothing/here', {}, { id }), 200, -32601, id);
    });

    it('concurrent MCP requests of two accounts with the same id each get their own response', async () => {
      const other = await stack.createTenant('Other Towing');
      const key = await stack.createKey(other.id, { kind: 'agent', scopes: ['read_customers'] });
      await Promise.all(
        [tenant, other].map(({ client }, nth) => client.post('/customers', { company_name: `Of ${nth}` })),
      );
      const call = { name: 'list_customers', arguments: {} };
      const requests = Array.from({ length: 60 }, async (_, nth) => {
        const tenantIndex = nth % 2;
        const response = await mcp.request('tools/call', call, tenantIndex === 1 ? { key } : {});
        const names = response.body.result.structuredContent.items.map((item: Json) => item.company_name);
        expect([response.body.id, names]).to.deep.equal([1, [`Of ${tenantIndex}`]]);
      });
      await Promise.all(requests);
    });
  });

  it('every response and error of /mcp carries the request id', async () => {
    const headers = { 'x-request-id': 'trace:1/2' };
    const unsafe = await mcp.send({ headers: { 'x-request-id': 'a b' }, body: buildMessage(1) });
    expect(unsafe.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    const responses = {
      good: await mcp.send({ headers, body: buildMessage(1) }),
      notified: await mcp.send({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
      envelope: await mcp.send({ headers, key: null, body: buildMessage(1) }),
      rpc: await mcp.send({ headers, body: '{' }),
      params: await mcp.request('prompts/get', {}, { headers }),
      tool: await mcp.request('tools/call', { name: 'get_invoice', arguments: {} }, { headers }),
      resource: await mcp.request('resources/read', { uri: 'service://nothing' }, { headers }),
    };
    for (const [kind, response] of Object.entries(responses))
      expect(response.headers['x-request-id'], kind).to.equal('trace:1/2');
    expect(responses.envelope.body.error.requestId).to.equal('trace:1/2');
    expect(responses.rpc.body.error.data.requestId).to.equal('trace:1/2');
    expect(responses.params.body.error.data.requestId).to.equal('trace:1/2');
    expect(JSON.parse(responses.tool.body.result.content[0].text).requestId).to.equal('trace:1/2');
    expect(responses.resource.body.error.data.error.requestId).to.equal('trace:1/2');
  });
});
