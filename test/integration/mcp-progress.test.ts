import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { newId } from '../../shared/platform/ids.js';
import { withOneAccount } from '../support/accounts.js';
import type { Json } from '../support/client.js';
import { McpStream } from '../support/mcp-stream.js';
import { eventually } from '../support/poll.js';
import { connectRevision, NEWEST_REVISION, newestRequest, OLDER_REVISIONS } from '../support/revisions.js';
import type { TestStack, TestTenant } from '../support/stack.js';

const name = 'create_work_order';
const JOB = { service_type: 'tow' };

/** Shorter than the writes that are waited for below. */
const CLIENT_TIMEOUT_MS = 1800;

describe('progress of a write that waits for its worker', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let key: string;

  withOneAccount(async (account) => {
    ({ stack, tenant } = account);
    key = await stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES] });
  });

  /** The worker waits as long as the work takes. */
  async function whileHeld<T>(work: () => Promise<T>): Promise<T> {
    const holder = new pg.Client({ connectionString: stack.databaseUrl });
    await holder.connect();
    await holder.query('begin; lock table work_orders in share row exclusive mode');
    return work().finally(() => holder.end());
  }

  const call = (meta: Json, headers: Record<string, string> = {}, args: Json = {}) =>
    McpStream.call(
      { origin: stack.origin, key, headers },
      { name, arguments: { ...JOB, ...args }, _meta: meta },
    );

  const audited = (requestId: string) =>
    stack.rows<Json>(
      tenant.id,
      'select outcome, tool, source from audit_entries where tenant_id = $1 and request_id = $2',
      [tenant.id, requestId],
    );

  it('keeps the official clients of all revisions waiting, beyond the time they would wait without', async () => {
    const revisions = [...OLDER_REVISIONS, NEWEST_REVISION];
    const told: number[][] = revisions.map(() => []);
    const clients = await Promise.all(
      revisions.map(async (revision) => (await connectRevision(stack.origin, key, revision)).client),
    );
    const options = (nth: number) => ({
      timeout: CLIENT_TIMEOUT_MS,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, message }: Json) => {
        expect(message).to.match(/^(Queued|Waiting for the worker)/);
        told[nth]?.push(progress);
      },
    });
    const startedAt = performance.now();
    const answers = await whileHeld(async () => {
      const calls = clients.map((client: Json, nth) =>
        revisions[nth] === NEWEST_REVISION
          ? client.callTool({ name, arguments: JOB }, options(nth))
          : client.callTool({ name, arguments: JOB }, undefined, options(nth)),
      );
      await eventually('all are told', () => told.every(({ length }) => length >= 2));
      await sleep(500);
      return calls;
    }).then((calls) => Promise.all(calls));
    expect(performance.now() - startedAt).to.be.above(CLIENT_TIMEOUT_MS);
    for (const [nth, answer] of answers.entries()) {
      expect(answer.structuredContent, revisions[nth]).to.include({ status: 'new' });
      const values = told[nth] as number[];
      expect(values).to.deep.equal([...new Set(values)].sort((a, b) => a - b));
    }
    await Promise.all(clients.map((client) => client.close()));
  });

  for (const [what, headersOf, token] of [
    ['older revisions', () => ({}), 7],
    ['2026-07-28', () => newestRequest('tools/call', { name }).headers, 'seven'],
  ] as const) {
    it(`is a stream with all headers of an answer, and ends with it (${what})`, async () => {
      const requestId = `progress-${token}`;
      const { message } = newestRequest('tools/call', { name });
      const meta = what === '2026-07-28' ? message.params._meta : {};
      const stream = await whileHeld(async () => {
        const headers = { ...headersOf(), 'x-request-id': requestId };
        const opened = call({ ...meta, progressToken: token }, headers);
        await opened.waitFor(1);
        return opened;
      });
      const messages = await stream.ended();
      expect(stream.response?.statusCode).to.equal(200);
      expect(stream.response?.headers).to.deep.include({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-request-id': requestId,
      });
      expect(stream.response?.headers).to.include.keys('ratelimit', 'ratelimit-policy');
      const answer = messages.pop();
      expect(answer).to.include({ jsonrpc: '2.0', id: 'call' });
      expect(answer.result.structuredContent).to.include({ status: 'new' });
      expect(messages[0]).to.deep.equal({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress: 1, message: 'Queued.' },
      });
      expect(await audited(requestId)).to.deep.equal([{ outcome: 'ok', tool: name, source: 'mcp' }]);
    });
  }

  it('is not told to who did not ask, takes no stream, or is answered at once', async () => {
    const accept = 'application/json';
    const held = await whileHeld(async () => {
      const waiting = [
        call({}),
        call({ progressToken: 1 }, { accept }),
        call({ progressToken: 1 }, { accept: '*/*' }),
      ];
      await sleep(1500);
      return waiting;
    });
    for (const stream of [...held, call({ progressToken: 1 })]) {
      const [answer, ...more] = await stream.ended();
      expect(more).to.deep.equal([]);
      expect(answer.result.structuredContent).to.include({ status: 'new' });
      expect(stream.response?.headers['content-type']).to.equal('application/json');
      expect(stream.response?.headers).to.include.keys('content-length');
    }
  });

  it('costs a dry run and a replay their headers only: the answer says the same', async () => {
    const args = { idempotency_key: newId() };
    const [dry, once] = await whileHeld(async () => {
      const both = [{ dry_run: true }, args].map((more) => call({ progressToken: 1 }, {}, more));
      await Promise.all(both.map((stream) => stream.waitFor(1)));
      return both as [McpStream, McpStream];
    });
    expect(dry.isStream).to.equal(true);
    const rehearsed = (await dry.ended()).pop();
    expect(rehearsed.result.structuredContent).to.deep.include({ ok: true, dry_run: true });
    const made = (await once.ended()).pop();
    const replay = call({ progressToken: 1 }, {}, args);
    const [again] = await replay.ended();
    expect(again.result.structuredContent).to.deep.equal(made.result.structuredContent);
    expect(again.result.content[0].text).to.include('done before under the same idempotency_key');
    expect(replay.response?.headers['x-idempotency-replay']).to.equal('true');
  });

  it('goes on without a client that went away: what it asked for is done, once', async () => {
    const args = { idempotency_key: newId(), internal_notes: 'left alone' };
    const made = () => stack.rows(tenant.id, "select 1 from work_orders where notes = 'left alone'");
    await whileHeld(async () => {
      const stream = call({ progressToken: 1 }, {}, args);
      await stream.waitFor(1);
      stream.cut();
      await sleep(1500);
    });
    await eventually('the job', async () => (await made()).length === 1);
    const [again] = await call({}, {}, args).ended();
    expect(again.result.content[0].text).to.include('done before');
    expect(await made()).to.have.length(1);
  });
});
