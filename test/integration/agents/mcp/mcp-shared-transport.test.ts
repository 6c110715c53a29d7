import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListRootsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';

import type { Caller } from '../../../../mcp/context/caller.js';
import { SharedTransport } from '../../../../mcp/protocol/shared-transport.js';
import type { Principal } from '../../../../shared/contracts/principal.js';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';

const CALLER: Caller = {
  key: { id: 'key', scopes: [] } as unknown as Principal,
  id: 'message',
  requestId: 'the-request',
  headers: { idempotencyKey: undefined, dryRun: undefined },
  responseHeaders: {},
  bytes: 0,
  ip: null,
  userAgent: null,
};

/** Runs the SDK's real server behind the shared transport, with handlers that fail or wait. */
describe('transport that all MCP requests of a process share', () => {
  const finishCalls: (() => void)[] = [];
  const reportedErrors: Error[] = [];
  let transport: SharedTransport;

  beforeEach(async () => {
    reportedErrors.length = 0;
    finishCalls.length = 0;
    const server = new Server(
      { name: 'test', version: '1' },
      { capabilities: { tools: {}, prompts: {}, resources: {} } },
    );
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      await new Promise<void>((resolve) => finishCalls.push(resolve));
      return { content: [{ type: 'text', text: params.name }] };
    });
    server.setRequestHandler(ListPromptsRequestSchema, () => {
      throw new TypeError('password of tow_app at 10.0.0.7');
    });
    server.setRequestHandler(ListResourcesRequestSchema, (_request, extra) =>
      extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema).then(() => ({ resources: [] })),
    );
    server.onerror = (error) => reportedErrors.push(error);
    transport = new SharedTransport();
    await server.connect(transport);
  });

  const sendRequest = (method: string, params: object = {}, id: string | number = 1): Promise<Json> =>
    transport.handleRequest({ jsonrpc: '2.0', id, method, params: { ...params } }, CALLER);

  it('the shared transport hides a thrown error from the client and reports it to onerror', async () => {
    const { error } = await sendRequest('prompts/list');
    expect(error).to.deep.equal({
      code: -32603,
      message: 'Something went wrong on our side.',
      data: { code: 'internal_error', requestId: 'the-request' },
    });
    expect(reportedErrors.map(({ message }) => message)).to.deep.equal([
      'prompts/list failed (request the-request): password of tow_app at 10.0.0.7',
    ]);
    expect(transport.pendingRequestCount).to.equal(0);
  });

  it('the shared transport gives each request its own response, in whatever sequence they finish', async () => {
    const names = ['a', 'b', 'c'];
    const requests = names.map((name) => sendRequest('tools/call', { name }));
    await eventually('all are under way', () => finishCalls.length === 3);
    expect(transport.pendingRequestCount).to.equal(3);
    for (const finishCall of finishCalls.reverse()) finishCall();
    const responses = await Promise.all(requests);
    expect(responses.map(({ id, result }) => [id, result.content[0].text])).to.deep.equal(
      names.map((name) => [1, name]),
    );
    expect(transport.pendingRequestCount).to.equal(0);
  });

  it('the shared transport keeps nothing of finished requests, whatever their method', async () => {
    const methods = [
      'ping',
      'initialize',
      'tools/call',
      'nothing',
      'prompts/list',
      'notifications/cancelled',
    ];
    await Promise.all(methods.map((method, id) => sendRequest(method, { requestId: 1 }, id)));
    expect(transport.pendingRequestCount).to.equal(0);
  });

  it('the shared transport fails a handler that sends the client a request of its own', async () => {
    const { error } = await sendRequest('resources/list');
    expect(error).to.include({ code: -32603, message: 'Something went wrong on our side.' });
    expect(reportedErrors.at(-1)?.message).to.include('This server sends no roots/list');
    expect(transport.pendingRequestCount).to.equal(0);
  });

  it('the shared transport fails pending and later requests with -32000 once it is closed', async () => {
    const requests = [
      sendRequest('tools/call', { name: 'a' }),
      sendRequest('tools/call', { name: 'b' }, 'two'),
    ];
    await eventually('both are under way', () => finishCalls.length === 2);
    await transport.close();
    for (const finishCall of finishCalls) finishCall();
    const late = sendRequest('ping', {}, 3);
    const responses = await Promise.all([...requests, late]);
    expect(responses.map(({ id, error }) => [id, error.code])).to.deep.equal([
      [1, -32000],
      ['two', -32000],
      [3, -32000],
    ]);
    expect(transport.pendingRequestCount).to.equal(0);
  });
});
