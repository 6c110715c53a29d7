import { once } from 'node:events';
import { expect } from 'chai';

import { createMcpFeatures } from '../../../../mcp/protocol/features.js';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { newId } from '../../../../shared/platform/ids.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import type { Json, TestResponse } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const VERSION = '2026-07-28';
const NEWEST_META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const TO_STRING_OVERRIDES = { toString: 1, valueOf: 1 };

describe('hostile MCP messages', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let key: string;
  let mcp: RawMcp;

  useSharedAccount(
    async (account) => {
      ({ stack, tenant } = account);
      key = await stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES] });
      mcp = new RawMcp(stack.origin, key);
    },
    {
      createOffer: (mcpRuntime) => ({
        ...createMcpFeatures(mcpRuntime),
        'prompts/list': () => {
          throw new TypeError('password of tow_app at 10.0.0.7');
        },
      }),
    },
  );

  /** Sends the MCP message twice: in an older protocol revision and in the newest. */
  const sendInBothRevisions = ({
    method,
    params,
  }: {
    method: string;
    params: Record<string, unknown>;
  }): Promise<TestResponse[]> => {
    const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': method };
    const named = params.name ? { ...headers, 'mcp-name': String(params.name) } : headers;
    return Promise.all([
      mcp.request(method, params),
      mcp.request(method, { _meta: NEWEST_META, ...params }, { headers: named }),
    ]);
  };
  const parseToolError = ({ body }: TestResponse): Json => {
    expect(body.result.isError).to.equal(true);
    return JSON.parse(body.result.content[0].text);
  };
  const listEntries = (action: string): Promise<Json[]> =>
    stack.rows(tenant.id, 'select * from audit_entries where tenant_id = $1 and action = $2', [
      tenant.id,
      action,
    ]);

  it('an MCP response reveals nothing of an internal error in any revision', async () => {
    for (const { text, body } of await sendInBothRevisions({ method: 'prompts/list', params: {} })) {
      expect(text).to.not.include('password');
      expect(body.error).to.deep.include({ code: -32603, message: 'Something went wrong on our side.' });
      expect(body.error.data.code).to.equal('internal_error');
    }
  });

  it('an MCP error names only the first of 5000 problems in any revision', async () => {
    const args = Object.fromEntries(Array.from({ length: 5000 }, (_, nth) => [`${nth}`.padEnd(150, 'x'), 1]));
    for (const { text, body } of await sendInBothRevisions({
      method: 'prompts/get',
      params: { name: 'x', arguments: args },
    })) {
      expect(body.error.code).to.equal(-32602);
      expect(body.error.message).to.match(/^The params of prompts\/get are invalid: .*and 4980 more\.$/s);
      expect(text.length).to.be.below(10_000);
    }
  });

  it('a call with 5000 problems puts at most 100 into its result and keeps its audit entry small', async () => {
    const call = { name: 'create_invoice_draft', args: { line_items: Array(5000).fill(0) } };
    const error = parseToolError(await mcp.call(call.name, call.args));
    expect(error.code).to.equal('validation_error');
    expect(error.details).to.have.length(100);
    const [entry] = await listEntries('invoice.created');
    expect(JSON.stringify(entry?.error).length).to.be.below(20_000);
  });

  it('an MCP message with more than 10,000 values is refused, whatever its method', async () => {
    const zeros = Array(10_001).fill(0);
    const clientInfo = { name: 'x', version: '1', icons: zeros };
    for (const [method, params] of [
      ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }],
      ['tools/call', { name: 'create_invoice_draft', arguments: { line_items: zeros } }],
    ] as const) {
      const { status, body } = await mcp.request(method, params);
      expect(status).to.equal(400);
      expect(body).to.deep.include({ id: null });
      expect(body.error.code).to.equal(-32700);
      expect(body.error.data.details[0].code).to.equal('too_many_values');
    }
  });

  it('an MCP message with objects in place of texts is refused and audited', async () => {
    for (const { body } of await sendInBothRevisions({
      method: 'resources/read',
      params: { uri: TO_STRING_OVERRIDES },
    }))
      expect(body.error?.code, JSON.stringify(body)).to.be.oneOf([-32602, -32020]);
    expect(await listEntries('resource.refused')).to.not.have.length(0);
    const args = { service_type: 'tow', idempotency_key: TO_STRING_OVERRIDES };
    const call = { name: 'create_work_order', args, meta: { idempotency_key: newId() } };
    expect(parseToolError(await mcp.call(call.name, call.args, { meta: call.meta })).code).to.equal(
      'validation_error',
    );
  });

  it('a slow MCP message is refused when its key is revoked before the message is complete', async () => {
    const scopes = [...AGENT_SCOPES];
    const admin = tenant.client;
    const slowKey = await stack.createKey(tenant.id, { kind: 'agent', scopes });
    const slow = new RawMcp(stack.origin, slowKey);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const socket = await slow.openSocket();
    socket.write(slow.buildHead(body.length) + body.slice(0, 5));
    await slow.request('tools/list');
    const [row] = await stack.rows(
      tenant.id,
      'select id from api_keys where tenant_id = $1 and last_four = $2',
      [tenant.id, slowKey.slice(-4)],
    );
    expect((await admin.delete(`/agent-keys/${row?.id}`)).status).to.be.oneOf([200, 204]);
    await eventually('revoked', async () => (await slow.request('tools/list')).status === 401);
    socket.write(body.slice(5));
    const [received] = await once(socket, 'data');
    socket.destroy();
    expect(String(received)).to.match(/^HTTP\/1\.1 401 /);
  });
});
