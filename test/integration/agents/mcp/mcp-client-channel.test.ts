import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

import type { McpRuntime } from '../../../../mcp/context/runtime.js';
import { createMcpFeatures, type McpFeatures } from '../../../../mcp/protocol/features.js';
import { McpStream } from '../../../support/agents/mcp-stream.js';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { useOwnStack } from '../../../support/use-stack.js';

const CHUNK = 'x'.repeat(100_000);
const CHUNKS = 1500;

/** Returns the product's MCP features, except that each tool call sends `times` notifications. */
function createTestFeatures(mcp: McpRuntime): McpFeatures {
  return {
    ...createMcpFeatures(mcp),
    'tools/call': async ({ notify }, { arguments: args = {} }) => {
      for (let nth = 1; nth <= Number(args.times); nth += 1) {
        const params = { progressToken: 't', progress: nth, message: CHUNK };
        notify?.({ method: 'notifications/progress', params });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { content: [{ type: 'text', text: 'sent' }] };
    },
  };
}

describe('notifications that the MCP server sends before its response', () => {
  const stack = useOwnStack({ createOffer: createTestFeatures });
  let key: string;

  beforeEach(async () => {
    const { id } = await stack.createTenant();
    key = await stack.createKey(id, { kind: 'agent', scopes: ['read_invoices'] });
  });

  const callTool = (args: Json, headers: Record<string, string> = {}, meta: Json = {}) =>
    McpStream.call({ origin: stack.origin, key, headers }, { name: 'tell', arguments: args, _meta: meta });

  const textOf = (messages: Json[]) => messages.at(-1).result.content[0].text;

  it('notifications to a client that does not read are dropped, but its response is not', async () => {
    const stream = callTool({ times: CHUNKS });
    await eventually('the head', () => stream.response !== undefined);
    stream.pauseReading();
    await sleep(1500);
    stream.resumeReading();
    const messages = await stream.waitForEnd();
    expect(textOf(messages)).to.equal('sent');
    const progress = messages.slice(0, -1).map(({ params }) => params.progress as number);
    expect(progress).to.deep.equal([...progress].sort((a, b) => a - b));
    // Of the 150 MB, the client receives only the bytes that the two ends of the connection
    // buffered. The server drops the rest.
    expect(progress.length).to.be.within(1, CHUNKS / 2);
  });

  it('notifications are not sent to a client that does not accept a stream', async () => {
    const stream = callTool({ times: 3 }, { accept: 'application/json, text/event-stream;q=0' });
    expect(await stream.waitForEnd()).to.have.length(1);
  });

  it('a call that names a related task succeeds', async () => {
    const task = { 'io.modelcontextprotocol/related-task': { taskId: 'of-nobody' } };
    expect(textOf(await callTool({ times: 2 }, {}, task).waitForEnd())).to.equal('sent');
  });
});
