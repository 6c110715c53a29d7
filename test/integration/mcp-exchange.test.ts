import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListRootsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import type { Caller } from '../../mcp/caller.js';
import { Exchange } from '../../mcp/exchange.js';
import type { Principal } from '../../shared/contracts/principal.js';
import type { Json } from '../support/client.js';
import { eventually } from '../support/poll.js';

const CALLER: Caller = {
  key: { id: 'key', scopes: [] } as unknown as Principal,
  id: 'message',
  requestId: 'the-request',
  headers: { idempotencyKey: undefined, dryRun: undefined },
  answerHeaders: {},
  bytes: 0,
  ip: null,
  userAgent: null,
};

/** Nothing here asks a client, and nothing closes. */
const LIFECYCLE = { isClosing: false, onClose: () => undefined };

/** The real server of the SDK behind an exchange, with handlers that fail or wait. */
describe('the exchange between HTTP and the protocol', () => {
  const finish: (() => void)[] = [];
  const noted: Error[] = [];
  let exchange: Exchange;

  beforeEach(async () => {
    noted.length = 0;
    finish.length = 0;
    const server = new Server(
      { name: 'test', version: '1' },
      { capabilities: { tools: {}, prompts: {}, resources: {} } },
    );
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      await new Promise<void>((resolve) => finish.push(resolve));
      return { content: [{ type: 'text', text: params.name }] };
    });
    server.setRequestHandler(ListPromptsRequestSchema, () => {
      throw new TypeError('password of tow_app at 10.0.0.7');
    });
    server.setRequestHandler(ListResourcesRequestSchema, (_request, extra) =>
      extra
        .sendRequest({ method: 'roots/list' }, ListRootsResultSchema, { timeout: 50 })
        .then(() => ({ resources: [] })),
    );
    server.onerror = (error) => noted.push(error);
    exchange = new Exchange(LIFECYCLE);
    await server.connect(exchange);
  });

  const ask = (method: string, params: object = {}, id: string | number = 1): Promise<Json> =>
    exchange.ask({ jsonrpc: '2.0', id, method, params: { ...params } }, CALLER);

  it('never tells what was thrown, but notes it', async () => {
    const { error } = await ask('prompts/list');
    expect(error).to.deep.equal({
      code: -32603,
      message: 'Something went wrong on our side.',
      data: { code: 'internal_error', requestId: 'the-request' },
    });
    expect(noted.map(({ message }) => message)).to.deep.equal([
      'prompts/list failed (request the-request): password of tow_app at 10.0.0.7',
    ]);
    expect(exchange.underWay).to.equal(0);
  });

  it('gives each asker its own answer, in whatever order they come', async () => {
    const names = ['a', 'b', 'c'];
    const asked = names.map((name) => ask('tools/call', { name }));
    await eventually('all are under way', () => finish.length === 3);
    expect(exchange.underWay).to.equal(3);
    for (const end of finish.reverse()) end();
    const answers = await Promise.all(asked);
    expect(answers.map(({ id, result }) => [id, result.content[0].text])).to.deep.equal(
      names.map((name) => [1, name]),
    );
    expect(exchange.underWay).to.equal(0);
  });

  it('keeps nothing of whatever is asked', async () => {
    const methods = [
      'ping',
      'initialize',
      'tools/call',
      'nothing',
      'prompts/list',
      'notifications/cancelled',
    ];
    await Promise.all(methods.map((method, id) => ask(method, { requestId: 1 }, id)));
    expect(exchange.underWay).to.equal(0);
  });

  it('tells a client under its own id that a question is given up, and forgets it', async () => {
    const said: Json[] = [];
    const line = {
      say: (message: Json) => {
        said.push(message);
        return true;
      },
      whenOver: () => undefined,
    };
    const request = { jsonrpc: '2.0' as const, id: 1, method: 'resources/list' };
    const answer: Json = await exchange.ask(request, { ...CALLER, line });
    expect(answer.error.message).to.include('timed out');
    const [question, cancelled] = said;
    expect(question).to.include({ method: 'roots/list' });
    expect(cancelled).to.include({ method: 'notifications/cancelled' });
    expect(cancelled.params.requestId).to.equal(question.id);
    expect([exchange.asked, exchange.underWay]).to.deep.equal([0, 0]);
  });

  it('tells what is under way that it closes, for the server would never answer', async () => {
    const asked = [ask('tools/call', { name: 'a' }), ask('tools/call', { name: 'b' }, 'two')];
    await eventually('both are under way', () => finish.length === 2);
    await exchange.close();
    for (const end of finish) end();
    const late = ask('ping', {}, 3);
    const answers = await Promise.all([...asked, late]);
    expect(answers.map(({ id, error }) => [id, error.code])).to.deep.equal([
      [1, -32000],
      ['two', -32000],
      [3, -32000],
    ]);
    expect(exchange.underWay).to.equal(0);
  });
});
