import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createOffer, type Offer } from '../../mcp/offer.js';
import type { McpRuntime } from '../../mcp/runtime.js';
import type { Json } from '../support/client.js';
import { McpStream } from '../support/mcp-stream.js';
import { eventually } from '../support/poll.js';
import { RawMcp } from '../support/raw-mcp.js';
import { newestRequest } from '../support/revisions.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;
const CHUNK = 'x'.repeat(100_000);
const CHUNKS = 1500;

/** What became of the questions of `ask`, answered or not. */
const outcomes: string[] = [];

/** The product's offer with a tool that tells much, and one that asks. */
function talkative(mcp: McpRuntime): Offer {
  return {
    ...createOffer(mcp),
    callTool: async (_caller, { name, args, aside }) => {
      if (name === 'tell') {
        for (let nth = 1; nth <= Number(args.times); nth += 1) {
          const params = { progressToken: 't', progress: nth, message: CHUNK };
          aside?.tell({ method: 'notifications/progress', params });
          await new Promise((resolve) => setImmediate(resolve));
        }
        return { content: [{ type: 'text', text: 'told' }] };
      }
      const question = aside?.ask({ method: 'roots/list' });
      const outcome = await question?.then(JSON.stringify, (error: Error) => error.message);
      outcomes.push(String(outcome));
      return { content: [{ type: 'text', text: String(outcome) }] };
    },
  };
}

describe('what is said to an agent before its answer', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let key: string;
  let mcp: RawMcp;

  beforeEach(async () => {
    outcomes.length = 0;
    stack = await TestStack.start({ offerOf: talkative });
    tenant = await stack.createTenant();
    key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
    mcp = new RawMcp(stack.origin, key);
  });
  afterEach(() => stack.stop());

  const call = (name: string, args: Json = {}, headers: Record<string, string> = {}, meta: Json = {}) =>
    McpStream.call({ origin: stack.origin, key, headers }, { name, arguments: args, _meta: meta });

  const reply = (message: Json, options: { key?: string } = {}) =>
    mcp.send({ body: { jsonrpc: '2.0', ...message }, ...options });

  const textOf = (messages: Json[]) => messages.at(-1).result.content[0].text;

  it('is a question whose answer counts under the asked key alone, and once', async () => {
    const stream = call('ask');
    const [{ id, ...question }] = (await stream.waitFor(1)) as [Json];
    expect(question).to.deep.equal({ jsonrpc: '2.0', method: 'roots/list' });
    expect(id).to.match(UUID);
    const other = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices'] });
    const foreign = await stack.createTenant();
    const foreignKey = await stack.createKey(foreign.id, { kind: 'agent', scopes: ['read_invoices'] });
    for (const wrong of [
      await reply({ id, result: { roots: ['theirs'] } }, { key: other }),
      await reply({ id, result: { roots: ['foreign'] } }, { key: foreignKey }),
      // The number by which the SDK knows it.
      await reply({ id: 0, result: { roots: ['guessed'] } }),
    ])
      expect([wrong.status, wrong.text]).to.deep.equal([202, '']);
    await sleep(100);
    expect(outcomes).to.deep.equal([]);
    expect((await reply({ id, result: { roots: ['own'] } })).status).to.equal(202);
    expect(textOf(await stream.ended())).to.equal('{"roots":["own"]}');
    expect((await reply({ id, result: { roots: ['late'] } })).status).to.equal(202);
    expect(outcomes).to.have.length(1);
  });

  it('is a question that a client may refuse', async () => {
    const stream = call('ask');
    const [{ id }] = (await stream.waitFor(1)) as [Json];
    await reply({ id, error: { code: -1, message: 'not now' } });
    expect(textOf(await stream.ended())).to.match(/not now/);
  });

  it('is no question to who takes no stream, speaks the newest revision, or went away', async () => {
    const plain = call('ask', {}, { accept: 'application/json' });
    expect(textOf(await plain.ended())).to.match(/cannot be asked/);
    expect(plain.isStream).to.equal(false);
    const { headers, message } = newestRequest('tools/call', { name: 'ask' });
    const newest = call('ask', {}, headers, message.params._meta);
    expect(textOf(await newest.ended())).to.match(/sends no requests/);
    const gone = call('ask');
    await gone.waitFor(1);
    gone.cut();
    await eventually('it is given up', () => outcomes.length === 3);
    expect(outcomes[2]).to.match(/has gone/);
  });

  it('ends when the server closes, with an answer', async () => {
    const stream = call('ask');
    await stream.waitFor(1);
    const startedAt = performance.now();
    expect(await stack.runtime.lifecycle.close(15_000)).to.equal(true);
    expect(performance.now() - startedAt).to.be.below(5000);
    expect(textOf(await stream.ended())).to.match(/closing/);
  });

  it('is dropped for a client that does not read; its answer is not', async () => {
    const stream = call('tell', { times: CHUNKS });
    await eventually('the head', () => stream.response !== undefined);
    stream.stall();
    await sleep(1500);
    stream.goOn();
    const messages = await stream.ended();
    expect(textOf(messages)).to.equal('told');
    const progress = messages.slice(0, -1).map(({ params }) => params.progress as number);
    expect(progress).to.deep.equal([...progress].sort((a, b) => a - b));
    // What the two sockets hold came; the rest of 150 MB was never kept.
    expect(progress.length).to.be.within(1, CHUNKS / 2);
  });

  it('is dropped for a client that takes no stream', async () => {
    const stream = call('tell', { times: 3 }, { accept: 'application/json, text/event-stream;q=0' });
    expect(await stream.ended()).to.have.length(1);
  });

  it('does not fail a call that names a task', async () => {
    const task = { 'io.modelcontextprotocol/related-task': { taskId: 'of-nobody' } };
    expect(textOf(await call('tell', { times: 2 }, {}, task).ended())).to.equal('told');
  });
});
