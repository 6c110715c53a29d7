import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { newId } from '../../../../shared/platform/ids.js';
import { McpStream } from '../../../support/agents/mcp-stream.js';
import {
  buildNewestRequest,
  connectRevision,
  NEWEST_REVISION,
  OLDER_REVISIONS,
} from '../../../support/agents/revisions.js';
import type { Json } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const name = 'create_work_order';
const WORK_ORDER = { service_type: 'tow' };

/**
 * This timeout is shorter than the delayed write. So the call succeeds only if progress
 * notifications reset the timeout.
 */
const CLIENT_TIMEOUT_MS = 1800;

describe('progress notifications of MCP writes', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let key: string;

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    key = await stack.createKey(tenant.id, { kind: 'agent', scopes: [...AGENT_SCOPES] });
  });

  /** Blocks the worker with a table lock until `work` has finished. */
  async function withBlockedWorker<T>(work: () => Promise<T>): Promise<T> {
    const holder = new pg.Client({ connectionString: stack.databaseUrl });
    await holder.connect();
    await holder.query('begin; lock table work_orders in share row exclusive mode');
    return work().finally(() => holder.end());
  }

  const callTool = (meta: Json, headers: Record<string, string> = {}, args: Json = {}) =>
    McpStream.call(
      { origin: stack.origin, key, headers },
      { name, arguments: { ...WORK_ORDER, ...args }, _meta: meta },
    );

  const listAuditEntries = (requestId: string) =>
    stack.rows<Json>(
      tenant.id,
      'select outcome, tool, source from audit_entries where tenant_id = $1 and request_id = $2',
      [tenant.id, requestId],
    );

  it('progress keeps the official clients of all MCP revisions waiting beyond their timeout', async () => {
    const revisions = [...OLDER_REVISIONS, NEWEST_REVISION];
    const progressValues: number[][] = revisions.map(() => []);
    const clients = await Promise.all(
      revisions.map(async (revision) => (await connectRevision(stack.origin, key, revision)).client),
    );
    const options = (nth: number) => ({
      timeout: CLIENT_TIMEOUT_MS,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, message }: Json) => {
        expect(message).to.match(/^(Queued|Waiting for the worker)/);
        progressValues[nth]?.push(progress);
      },
    });
    const startedAt = performance.now();
    const responses = await withBlockedWorker(async () => {
      const calls = clients.map((client: Json, nth) =>
        revisions[nth] === NEWEST_REVISION
          ? client.callTool({ name, arguments: WORK_ORDER }, options(nth))
          : client.callTool({ name, arguments: WORK_ORDER }, undefined, options(nth)),
      );
      await eventually('all clients have progress', () => progressValues.every(({ length }) => length >= 2));
      await sleep(500);
      return calls;
    }).then((calls) => Promise.all(calls));
    expect(performance.now() - startedAt).to.be.above(CLIENT_TIMEOUT_MS);
    for (const [nth, response] of responses.entries()) {
      expect(response.structuredContent, revisions[nth]).to.include({ status: 'new' });
      const values = progressValues[nth] as number[];
      expect(values).to.deep.equal([...new Set(values)].sort((a, b) => a - b));
    }
    await Promise.all(clients.map((client) => client.close()));
  });

  for (const [revision, buildHeaders, token] of [
    ['older revisions', () => ({}), 7],
    ['2026-07-28', () => buildNewestRequest('tools/call', { name }).headers, 'seven'],
  ] as const) {
    it(`progress is a stream with all headers of a response, and ends with the response (${revision})`, async () => {
      const requestId = `progress-${token}`;
      const { message } = buildNewestRequest('tools/call', { name });
      const meta = revision === '2026-07-28' ? message.params._meta : {};
      const stream = await withBlockedWorker(async () => {
        const headers = { ...buildHeaders(), 'x-request-id': requestId };
        const opened = callTool({ ...meta, progressToken: token }, headers);
        await opened.waitForMessages(1);
        return opened;
      });
      const messages = await stream.waitForEnd();
      expect(stream.response?.statusCode).to.equal(200);
      expect(stream.response?.headers).to.deep.include({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-request-id': requestId,
      });
      expect(stream.response?.headers).to.include.keys('ratelimit', 'ratelimit-policy');
      const response = messages.pop();
      expect(response).to.include({ jsonrpc: '2.0', id: 'call' });
      expect(response.result.structuredContent).to.include({ status: 'new' });
      expect(messages[0]).to.deep.equal({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress: 1, message: 'Queued.' },
      });
      expect(await listAuditEntries(requestId)).to.deep.equal([{ outcome: 'ok', tool: name, source: 'mcp' }]);
    });
  }

  it('progress is not sent without a progressToken, without a stream, or for an immediate response', async () => {
    const accept = 'application/json';
    const blockedCalls = await withBlockedWorker(async () => {
      const waiting = [
        callTool({}),
        callTool({ progressToken: 1 }, { accept }),
        callTool({ progressToken: 1 }, { accept: '*/*' }),
      ];
      await sleep(1500);
      return waiting;
    });
    for (const stream of [...blockedCalls, callTool({ progressToken: 1 })]) {
      const [response, ...more] = await stream.waitForEnd();
      expect(more).to.deep.equal([]);
      expect(response.result.structuredContent).to.include({ status: 'new' });
      expect(stream.response?.headers['content-type']).to.equal('application/json');
      expect(stream.response?.headers).to.include.keys('content-length');
    }
  });

  it('a dry run on a stream and a replay say so in their results, as without progress', async () => {
    const args = { idempotency_key: newId() };
    const [dryRun, firstCall] = await withBlockedWorker(async () => {
      const streams = [{ dry_run: true }, args].map((more) => callTool({ progressToken: 1 }, {}, more));
      await Promise.all(streams.map((stream) => stream.waitForMessages(1)));
      return streams as [McpStream, McpStream];
    });
    expect(dryRun.isStream).to.equal(true);
    const dryRunResponse = (await dryRun.waitForEnd()).pop();
    expect(dryRunResponse.result.structuredContent).to.deep.include({ ok: true, dry_run: true });
    const firstResponse = (await firstCall.waitForEnd()).pop();
    const replay = callTool({ progressToken: 1 }, {}, args);
    const [again] = await replay.waitForEnd();
    expect(again.result.structuredContent).to.deep.equal(firstResponse.result.structuredContent);
    expect(again.result.content[0].text).to.include('done before under the same idempotency_key');
    expect(replay.response?.headers['x-idempotency-replay']).to.equal('true');
  });

  it('an MCP write continues after its client disconnects, and runs once', async () => {
    const args = { idempotency_key: newId(), internal_notes: 'left alone' };
    const listCreated = () => stack.rows(tenant.id, "select 1 from work_orders where notes = 'left alone'");
    await withBlockedWorker(async () => {
      const stream = callTool({ progressToken: 1 }, {}, args);
      await stream.waitForMessages(1);
      stream.disconnect();
      await sleep(1500);
    });
    await eventually('the work order', async () => (await listCreated()).length === 1);
    // The first call holds the key until its process has the result, shortly after the commit.
    const again = await eventually('the first call has ended', async () => {
      const [message] = await callTool({}, {}, args).waitForEnd();
      const { text } = message.result.content[0];
      return !text.includes('idempotency_in_progress') && text;
    });
    expect(again).to.include('done before');
    expect(await listCreated()).to.have.length(1);
  });
});
