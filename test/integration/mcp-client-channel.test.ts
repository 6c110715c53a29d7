import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { McpRuntime } from '../../mcp/context/runtime.js';
import { createMcpFeatures, type McpFeatures } from '../../mcp/protocol/features.js';
import type { Json } from '../support/client.js';
import { McpStream } from '../support/mcp-stream.js';
import { eventually } from '../support/poll.js';
import { RawMcp } from '../support/raw-mcp.js';
import { buildNewestRequest } from '../support/revisions.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;
const CHUNK = 'x'.repeat(100_000);
const CHUNKS = 1500;

/** Outcomes of the requests that the tool `ask` sent to the client, answered or not. */
const outcomes: string[] = [];

/** The product's MCP features with the tools `tell` (many notifications) and `ask` (a request). */
function createTestFeatures(mcp: McpRuntime): McpFeatures {
  return {
    ...createMcpFeatures(mcp),
    callTool: async (_caller, { name, args, callNotifier }) => {
      if (name === 'tell') {
        for (let nth = 1; nth <= Number(args.times); nth += 1) {
          const params = { progressToken: 't', progress: nth, message: CHUNK };
          callNotifier?.notify({ method: 'notifications/progress', params });
          await new Promise((resolve) => setImmediate(resolve));
        }
        return { content: [{ type: 'text', text: 'sent' }] };
      }
      const request = callNotifier?.sendRequest({ method: 'roots/list' });
      const outcome = await request?.then(JSON.stringify, (error: Error) => error.message);
      outcomes.push(String(outcome));
      return { content: [{ type: 'text', text: String(outcome) }] };
    },
  };
}

describe('notifications and requests that the MCP server sends before its response', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let key: string;
  let mcp: RawMcp;

  beforeEach(async () => {
    outcomes.length = 0;
    stack = await TestStack.start({ createOffer: createTestFeatures });
    tenant = await stack.createTenant();
    key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
    mcp = new RawMcp(stack.origin, key);
  });
  afterEach(() => stack.stop());

  const callTool = (name: string, args: Json = {}, headers: Record<string, string> = {}, meta: Json = {}) =>
    McpStream.call({ origin: stack.origin, key, headers }, { name, arguments: args, _meta: meta });

  const respond = (message: Json, options: { key?: string } = {}) =>
    mcp.send({ body: { jsonrpc: '2.0', ...message }, ...options });

  const textOf = (messages: Json[]) => messages.at(-1).result.content[0].text;

  it("a server request accepts the client's response once, and only from the key that it was sent to", async () => {
    const stream = callTool('ask');
    const [{ id, ...request }] = (await stream.waitForMessages(1)) as [Json];
    expect(request).to.deep.equal({ jsonrpc: '2.0', method: 'roots/list' });
    expect(id).to.match(UUID);
    const other = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
    const foreign = await stack.createTenant();
    const foreignKey = await stack.createKey(foreign.id, { kind: 'agent', scopes: ['read_invoices'] });
    for (const wrong of [
      await respond({ id, result: { roots: ['theirs'] } }, { key: other }),
      await respond({ id, result: { roots: ['foreign'] } }, { key: foreignKey }),
      // The SDK's internal number of the request.
      await respond({ id: 0, result: { roots: ['guessed'] } }),
    ])
      expect([wrong.status, wrong.text]).to.deep.equal([202, '']);
    await sleep(100);
    expect(outcomes).to.deep.equal([]);
    expect((await respond({ id, result: { roots: ['own'] } })).status).to.equal(202);
    expect(textOf(await stream.waitForEnd())).to.equal('{"roots":["own"]}');
    expect((await respond({ id, result: { roots: ['late'] } })).status).to.equal(202);
    expect(outcomes).to.have.length(1);
  });

  it('a client may refuse a server request with an error', async () => {
    const stream = callTool('ask');
    const [{ id }] = (await stream.waitForMessages(1)) as [Json];
    await respond({ id, error: { code: -1, message: 'not now' } });
    expect(textOf(await stream.waitForEnd())).to.match(/not now/);
  });

  it('a server request fails for a client without streams, on the newest revision, or after a disconnect', async () => {
    const plain = callTool('ask', {}, { accept: 'application/json' });
    expect(textOf(await plain.waitForEnd())).to.match(/cannot be asked/);
    expect(plain.isStream).to.equal(false);
    const { headers, message } = buildNewestRequest('tools/call', { name: 'ask' });
    const newest = callTool('ask', {}, headers, message.params._meta);
    expect(textOf(await newest.waitForEnd())).to.match(/sends no requests/);
    const gone = callTool('ask');
    await gone.waitForMessages(1);
    gone.disconnect();
    await eventually('the server gives up the request', () => outcomes.length === 3);
    expect(outcomes[2]).to.match(/has disconnected/);
  });

  it('a pending server request ends when the server closes, and the call still gets its response', async () => {
    const stream = callTool('ask');
    await stream.waitForMessages(1);
    const startedAt = performance.now();
    expect(await stack.runtime.lifecycle.close(15_000)).to.equal(true);
    expect(performance.now() - startedAt).to.be.below(5000);
    expect(textOf(await stream.waitForEnd())).to.match(/closing/);
  });

  it('notifications to a client that does not read are dropped, but its response is not', async () => {
    const stream = callTool('tell', { times: CHUNKS });
    await eventually('the head', () => stream.response !== undefined);
    stream.pauseReading();
    await sleep(1500);
    stream.resumeReading();
    const messages = await stream.waitForEnd();
    expect(textOf(messages)).to.equal('sent');
    const progress = messages.slice(0, -1).map(({ params }) => params.progress as number);
    expect(progress).to.deep.equal([...progress].sort((a, b) => a - b));
    // Only what the two sockets buffer arrives. The server does not keep the rest of the 150 MB.
    expect(progress.length).to.be.within(1, CHUNKS / 2);
  });

  it('notifications are not sent to a client that does not accept a stream', async () => {
    const stream = callTool('tell', { times: 3 }, { accept: 'application/json, text/event-stream;q=0' });
    expect(await stream.waitForEnd()).to.have.length(1);
  });

  it('a call that names a related task succeeds', async () => {
    const task = { 'io.modelcontextprotocol/related-task': { taskId: 'of-nobody' } };
    expect(textOf(await callTool('tell', { times: 2 }, {}, task).waitForEnd())).to.equal('sent');
  });
});
