import {
  Client as NewestClient,
  StreamableHTTPClientTransport as NewestHttp,
} from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { TOOLS } from '../../../../mcp/tools/index.js';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { newId } from '../../../../shared/platform/ids.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import {
  buildNewestRequest,
  connectRevision,
  NEWEST_REVISION,
  OLDER_REVISIONS,
  type RevisionClient,
} from '../../../support/agents/revisions.js';
import type { Json } from '../../../support/client.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';
import { LIMITED_STACK, LOW_TIERS, useStack } from '../../../support/use-stack.js';

const UNKNOWN_INVOICE_ID = '0190a0a0-0000-7000-8000-000000000000';

describe('revisions of MCP on one URL', () => {
  const limited = useStack(LIMITED_STACK);
  let stack: TestStack;
  let tenant: TestTenant;
  let key: string;

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    key = await stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES] });
  });

  const listAuditEntries = (tool: string) =>
    stack.rows<Json>(
      tenant.id,
      `select outcome, source, tool, entity_id from audit_entries where tool = '${tool}' order by id desc`,
    );

  for (const revision of [...OLDER_REVISIONS, NEWEST_REVISION]) {
    describe(`MCP revision ${revision}`, () => {
      let client: RevisionClient;
      const expectRejection = (promise: Promise<unknown>): Promise<Json> =>
        promise.then(
          (response) => expect.fail(`answered ${JSON.stringify(response)}`),
          (error: Json) => error,
        );

      before(async () => {
        const connected = await connectRevision(stack.origin, key, revision);
        expect(connected.revision).to.equal(revision);
        ({ client } = connected);
      });
      after(() => client.close());

      it(`MCP ${revision} introduces the server and declares only tools, resources and prompts`, () => {
        expect(client.getServerVersion()).to.include({ name: 'tow-dispatch' });
        expect(client.getInstructions()).to.include('idempotency_key').and.have.length.below(2048);
        expect(client.getServerCapabilities()).to.deep.equal({ tools: {}, resources: {}, prompts: {} });
      });

      it(`MCP ${revision} lists the same tools, resources and prompts as every other revision`, async () => {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }: Json) => name)).to.deep.equal(TOOLS.map(({ name }) => name));
        const other = await connectRevision(stack.origin, key, '2025-11-25');
        expect(tools).to.deep.equal((await other.client.listTools()).tools);
        await other.client.close();
        expect((await client.listResources()).resources).to.have.length(2);
        expect((await client.listResourceTemplates()).resourceTemplates).to.have.length(3);
        const { prompts } = await client.listPrompts();
        expect(prompts.map(({ name }: Json) => name)).to.deep.equal(['morning_board', 'needs_approval']);
        const { messages } = await client.getPrompt({ name: 'morning_board' });
        expect(messages[0].content.text).to.include('get_dispatch_board');
      });

      it(`MCP ${revision} lists only the tools and resources that the key may use`, async () => {
        const narrow = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_customers'] });
        const other = await connectRevision(stack.origin, narrow, revision);
        expect((await other.client.listTools()).tools.map(({ name }: Json) => name)).to.deep.equal([
          'list_customers',
        ]);
        expect((await other.client.listResources()).resources).to.deep.equal([]);
        const refused = await other.client.callTool({ name: 'list_invoices', arguments: {} });
        expect(refused.isError).to.equal(true);
        expect(JSON.parse(refused.content[0].text)).to.include({ code: 'insufficient_scope' });
        await other.client.close();
      });

      it(`MCP ${revision} writes once for one idempotency key, audits the write and shows the record`, async () => {
        const args = { service_type: 'tow', internal_notes: revision, idempotency_key: newId() };
        const first = await client.callTool({ name: 'create_work_order', arguments: args });
        const again = await client.callTool({ name: 'create_work_order', arguments: args });
        expect(first.isError, JSON.stringify(first.content)).to.not.equal(true);
        expect(again.structuredContent).to.deep.equal(first.structuredContent);
        const { id } = first.structuredContent;
        expect(await stack.rows(tenant.id, `select 1 from work_orders where notes = '${revision}'`)).length(
          1,
        );
        const [entry] = await listAuditEntries('create_work_order');
        expect(entry).to.include({ outcome: 'ok', source: 'mcp', entity_id: id });
        const { contents } = await client.readResource({ uri: `service://work-orders/${id}` });
        expect(JSON.parse(contents[0].text)).to.include({ id, notes: revision });
      });

      it(`MCP ${revision} accepts idempotency key and dry run in _meta`, async () => {
        const before = await stack.rows(tenant.id, 'select 1 from work_orders');
        const result = await client.callTool({
          name: 'create_work_order',
          arguments: { service_type: 'tow' },
          _meta: { dry_run: true, idempotency_key: newId() },
        });
        expect(result.structuredContent).to.deep.include({ ok: true, dry_run: true });
        expect(await stack.rows(tenant.id, 'select 1 from work_orders')).length(before.length);
      });

      it(`MCP ${revision} reports wrong arguments in the result, and unknown tools and prompts as errors`, async () => {
        const invalid = await client.callTool({ name: 'list_invoices', arguments: { limit: 0 } });
        expect(invalid.isError).to.equal(true);
        expect(JSON.parse(invalid.content[0].text)).to.include({ code: 'validation_error' });
        const unknown = await expectRejection(client.callTool({ name: 'delete_everything' }));
        expect(unknown).to.include({ code: -32602 });
        expect(unknown.message).to.match(/^(MCP error -32602: )?There is no tool delete_everything/);
        expect((await listAuditEntries('delete_everything'))[0]).to.include({
          outcome: 'failed',
          source: 'mcp',
        });
        expect(await expectRejection(client.getPrompt({ name: 'nothing' }))).to.include({ code: -32602 });
      });

      it(`MCP ${revision} uses the revision's error code for an unknown resource`, async () => {
        const uri = `service://invoices/${UNKNOWN_INVOICE_ID}`;
        const error = await expectRejection(client.readResource({ uri }));
        expect(error).to.include({ code: revision === NEWEST_REVISION ? -32602 : -32002 });
        expect(error.data).to.deep.include({ uri });
        const { contents } = await client.readResource({ uri: 'service://dispatch-board' });
        expect(JSON.parse(contents[0].text)).to.have.property('trucks');
      });
    });
  }

  describe('raw HTTP requests in several MCP revisions', () => {
    const buildAuthorization = () => ({ Authorization: `Bearer ${key}` });
    const send = (message: unknown, headers: Record<string, string> = {}) =>
      new RawMcp(stack.origin, key).send({ body: message, headers });
    const sendNewest = (method: string, params = {}, changed: Record<string, string> = {}) => {
      const { message, headers } = buildNewestRequest(method, params);
      return send(message, { ...headers, ...changed });
    };
    const call = { name: 'list_customers', arguments: {} };

    it('an MCP client with version negotiation uses the newest revision, and one without it uses 2025-11-25', async () => {
      for (const [options, expected] of [
        [{ versionNegotiation: { mode: 'auto' as const } }, NEWEST_REVISION],
        [{}, '2025-11-25'],
      ] as const) {
        const client = new NewestClient({ name: 'test', version: '1' }, options);
        await client.connect(
          new NewestHttp(new URL(`${stack.origin}/mcp`), { requestInit: { headers: buildAuthorization() } }),
        );
        expect(client.getNegotiatedProtocolVersion()).to.equal(expected);
        expect((await client.listTools()).tools).to.have.length(TOOLS.length);
        await client.close();
      }
    });

    it('responses of the newest MCP revision have a result type, the server info and a private cache scope', async () => {
      const { status, headers, body } = await sendNewest('tools/list');
      expect(status).to.equal(200);
      expect(headers['content-type']).to.equal('application/json');
      expect(headers['cache-control']).to.equal('no-store');
      expect(body).to.deep.include({ jsonrpc: '2.0', id: 'by-hand' });
      expect(body.result).to.include({ resultType: 'complete', cacheScope: 'private', ttlMs: 300_000 });
      expect(body.result._meta['io.modelcontextprotocol/serverInfo']).to.include({ name: 'tow-dispatch' });
      const board = await sendNewest('resources/read', { uri: 'service://dispatch-board' });
      expect(board.body.result).to.include({ cacheScope: 'private', ttlMs: 0 });
      const { result } = (await sendNewest('server/discover')).body;
      expect(result).to.deep.include({
        supportedVersions: [NEWEST_REVISION],
        capabilities: { tools: {}, resources: {}, prompts: {} },
        cacheScope: 'private',
      });
    });

    it('an MCP message whose headers contradict it is refused', async () => {
      for (const changed of [
        { 'Mcp-Method': 'tools/list' },
        { 'Mcp-Name': 'list_invoices' },
        { 'MCP-Protocol-Version': '2025-11-25' },
      ]) {
        const { status, body } = await sendNewest('tools/call', call, changed);
        expect([status, body.error.code, body.id], JSON.stringify(changed)).to.deep.equal([
          400,
          -32020,
          'by-hand',
        ]);
      }
      const { message } = buildNewestRequest('tools/call', call);
      expect((await send(message)).body.error.code).to.equal(-32020);
      const bare = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const headerOnly = await send(bare, { 'MCP-Protocol-Version': NEWEST_REVISION });
      expect([headerOnly.status, headerOnly.body.error.code]).to.deep.equal([400, -32602]);
    });

    it('an unsupported MCP revision gets an error with the supported revisions', async () => {
      const { message, headers } = buildNewestRequest('tools/list', {}, '2099-01-01');
      const newer = await send(message, headers);
      expect([newer.status, newer.body.error.code]).to.deep.equal([400, -32022]);
      expect(newer.body.error.data).to.deep.equal({
        supported: [NEWEST_REVISION],
        requested: '2099-01-01',
      });
      const bare = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
      const older = await send(bare, { 'MCP-Protocol-Version': '1999-01-01' });
      expect([older.status, older.body.error.code, older.body.id]).to.deep.equal([400, -32022, 7]);
      expect(older.body.error.data.supported).to.include.members([...OLDER_REVISIONS, NEWEST_REVISION]);
      const initialize = {
        jsonrpc: '2.0',
        id: 8,
        method: 'initialize',
        params: { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      };
      expect((await send(initialize)).body.result.protocolVersion).to.equal('2025-11-25');
    });

    it('the newest MCP revision refuses the methods that it dropped, and GET /mcp returns 405', async () => {
      for (const method of [
        'ping',
        'logging/setLevel',
        'resources/subscribe',
        'subscriptions/listen',
        'no/such',
      ]) {
        const { status, body } = await sendNewest(method, { notifications: { toolsListChanged: true } });
        expect([status, body.error.code, body.id], method).to.deep.equal([404, -32601, 'by-hand']);
      }
      const ping = await send({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect([ping.status, ping.body.result]).to.deep.equal([200, {}]);
      const get = await new RawMcp(stack.origin, key).send({ method: 'GET' });
      expect([get.status, get.headers.allow]).to.deep.equal([405, 'POST']);
    });

    it('an array of messages is refused in every MCP revision, and none of them runs', async () => {
      const audited = (await listAuditEntries('list_customers')).length;
      const { message, headers } = buildNewestRequest('tools/call', call);
      const older = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
      for (const list of [[message], [older, older], []]) {
        const { status, body } = await send(list, list[0] === message ? headers : {});
        expect([status, body.error.code]).to.deep.equal([400, -32600]);
      }
      expect(await listAuditEntries('list_customers')).to.have.length(audited);
    });

    it('the newest MCP revision requires a key and an allowed Origin', async () => {
      const { message, headers } = buildNewestRequest('tools/list');
      const without = await new RawMcp(stack.origin, '').send({ body: message, headers });
      expect([without.status, without.body.error.code]).to.deep.equal([401, 'unauthorized']);
      expect(without.headers['www-authenticate']).to.match(/^Bearer/);
      const origin = await send(message, { ...headers, Origin: 'https://evil.example' });
      expect([origin.status, origin.body.error.code]).to.deep.equal([403, 'forbidden']);
    });

    it('all MCP revisions share the rate limit of a key, and each gets the error in its own form', async () => {
      const { id } = await limited.createTenant();
      const limitedKey = await limited.createKey(id, { kind: 'agent', scopes: ['read_customers'] });
      const { message, headers } = buildNewestRequest('tools/list');
      const older = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const post = (sent: unknown, extra: Record<string, string> = {}) =>
        new RawMcp(limited.origin, limitedKey).send({ body: sent, headers: extra });
      for (let left = LOW_TIERS.standard.minute; left > 0; left -= 1) {
        const response = left % 2 === 0 ? await post(message, headers) : await post(older);
        expect(response.status).to.equal(200);
      }
      for (const response of [await post(message, headers), await post(older)]) {
        expect(response.status).to.equal(429);
        expect(Number(response.headers['retry-after'])).to.be.above(0);
        expect(response.body.error.data).to.include({ code: 'rate_limited' });
      }
      expect((await post(message, headers)).body.id).to.equal('by-hand');
    });
  });
});
