import { connect } from 'node:net';
import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import type { Json, TestResponse } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const WORK_ORDER = { service_type: 'tow', pickup_location: 'Main St' };
const name = 'create_work_order';

const KEY_PLACES: Record<string, (key: string) => CallParts> = {
  header: (key) => ({ headers: { 'Idempotency-Key': key } }),
  meta: (key) => ({ meta: { idempotency_key: key } }),
  argument: (key) => ({ args: { idempotency_key: key } }),
};
const DRY_RUN_PLACES: Record<string, CallParts> = {
  header: { headers: { 'X-Service-Dry-Run': 'true' } },
  meta: { meta: { dry_run: true } },
  argument: { args: { dry_run: true } },
};

interface CallParts {
  headers?: Record<string, string>;
  meta?: Record<string, unknown>;
  args?: Record<string, unknown>;
}

describe('idempotency and dry run over MCP', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant);
    return () => agent.client.close();
  });

  const send = (
    parts: CallParts[],
    args: Record<string, unknown> = WORK_ORDER,
    key = agent.key,
  ): Promise<TestResponse> => {
    const all = <K extends keyof CallParts>(part: K) =>
      Object.assign({}, ...parts.map((one) => one[part] ?? {}));
    const options = { meta: all('meta'), headers: all('headers') };
    return new RawMcp(stack.origin, key).call(name, { ...args, ...all('args') }, options);
  };
  const expectSuccess = ({ status, body, text }: TestResponse): Json => {
    expect([status, body.result?.isError ?? false], text).to.deep.equal([200, false]);
    return body.result.structuredContent;
  };
  const expectToolError = ({ status, body, text }: TestResponse): Json => {
    expect([status, body.result?.isError], text).to.deep.equal([200, true]);
    return JSON.parse(body.result.content[0].text);
  };
  const countWorkOrders = async (of = tenant) =>
    (await of.client.get('/work-orders')).body.data.count as number;
  const listEntries = (outcome: string) =>
    stack.rows<Json>(tenant.id, 'select * from audit_entries where tenant_id = $1 and outcome = $2', [
      tenant.id,
      outcome,
    ]);

  for (const [place, sendKey] of Object.entries(KEY_PLACES)) {
    it(`create_work_order replays the first result of an idempotency key sent by ${place}, and says so`, async () => {
      const key = newId();
      const first = await send([sendKey(key)]);
      expect(first.headers).to.not.have.property('x-idempotency-replay');
      for (const again of Object.values(KEY_PLACES)) {
        const response = await send([again(key.toUpperCase())]);
        expect(expectSuccess(response)).to.deep.equal(expectSuccess(first));
        expect(response.headers['x-idempotency-replay']).to.equal('true');
        expect(response.body.result.content[0].text).to.include('done before under the same idempotency_key');
      }
      expect(await countWorkOrders()).to.equal(1);
      expect(expectToolError(await send([sendKey(newId().slice(1))])).code).to.equal(
        'invalid_idempotency_key',
      );
    });

    it(`create_work_order with a dry run requested by ${place} stores only an audit entry`, async () => {
      const before = await countRowsByTable();
      const response = await send([DRY_RUN_PLACES[place] as CallParts]);
      expect(expectSuccess(response)).to.deep.include({ ok: true, dry_run: true, warnings: [] });
      expect(expectSuccess(response).data).to.include({ service_type: 'tow', status: 'new' });
      expect(response.headers['x-service-dry-run']).to.equal('true');
      expect(await countRowsByTable()).to.deep.equal({
        ...before,
        audit_entries: (before.audit_entries ?? 0) + 1,
      });
    });
  }

  const countRowsByTable = async (): Promise<Record<string, number>> => {
    const tables = await stack.rows<{ name: string }>(
      tenant.id,
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and relname not like 'schema_migrations%' order by relname`,
    );
    const found: [string, number][] = [];
    for (const { name: table } of tables) {
      const [row] = await stack.rows<{ count: number }>(
        tenant.id,
        `select count(*)::int as count from ${table}`,
      );
      found.push([table, row?.count ?? -1]);
    }
    return Object.fromEntries(found);
  };

  it('create_work_order accepts the same key or dry run from several places, and refuses contradictory ones', async () => {
    const key = newId();
    const { header, meta, argument } = KEY_PLACES as Record<
      'header' | 'meta' | 'argument',
      (key: string) => CallParts
    >;
    expectSuccess(await send([header(key), argument(key.toUpperCase()), meta(key)]));
    for (const pair of [
      [header(key), meta(newId())],
      [header(key), argument(newId())],
      [meta(key), argument(newId())],
    ])
      expect(expectToolError(await send(pair)).code).to.equal('validation_error');
    expect(
      expectSuccess(
        await send([
          DRY_RUN_PLACES.header as CallParts,
          DRY_RUN_PLACES.argument as CallParts,
          DRY_RUN_PLACES.meta as CallParts,
        ]),
      ),
    ).to.include({
      dry_run: true,
    });
    const contradiction = expectToolError(
      await send([DRY_RUN_PLACES.header as CallParts, { args: { dry_run: false } }]),
    );
    expect(contradiction.details[0].field).to.equal('dry_run');
    expect(expectToolError(await send([{ headers: { 'X-Service-Dry-Run': 'yes' } }])).code).to.equal(
      'validation_error',
    );
    expect(expectToolError(await send([{ meta: { dry_run: 'true' } }])).code).to.equal('validation_error');
    expect(expectToolError(await send([{ args: { idempotency_key: 5 } }])).code).to.equal(
      'invalid_idempotency_key',
    );
    expect(await countWorkOrders()).to.equal(1);
  });

  it("fifty calls with one idempotency key create one work order and one entry of the command's own", async () => {
    const key = newId();
    const places = Object.values(KEY_PLACES);
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        send([(places[index % 3] as (key: string) => CallParts)(key)]),
      ),
    );
    const succeeded = responses.filter(({ body }) => !body.result.isError).map(expectSuccess);
    expect(new Set(succeeded.map(({ id }) => id)).size).to.equal(1);
    for (const response of responses.filter(({ body }) => body.result.isError))
      expect(expectToolError(response).code).to.equal('idempotency_in_progress');
    expect(await countWorkOrders()).to.equal(1);
    const commandEntries = (await listEntries('ok')).filter(({ changes }) => changes !== null);
    expect(commandEntries).to.have.length(1);
    expect(commandEntries[0]).to.include({ idempotency_key: key, tool: name });
    // Each of the fifty calls has an audit entry.
    const all = [...(await listEntries('ok')), ...(await listEntries('failed'))];
    expect(all.filter(({ tool }) => tool === name)).to.have.length(50);
    expect(expectSuccess(await send([{ args: { idempotency_key: key } }])).id).to.equal(succeeded[0].id);
  });

  it('an idempotency key that was used with other arguments is refused over MCP and REST', async () => {
    const key = newId();
    const sent = { args: { idempotency_key: key } };
    expectSuccess(await send([sent]));
    const error = expectToolError(await send([sent], { service_type: 'other' }));
    expect([error.code, error.details[0].field]).to.deep.equal(['idempotency_key_reused', 'body']);
    const rest = await tenant.client.post('/work-orders', WORK_ORDER, {
      headers: { 'Idempotency-Key': key },
    });
    expect([rest.status, rest.body.error.code]).to.deep.equal([422, 'idempotency_key_reused']);
    expect(await countWorkOrders()).to.equal(1);
  });

  it("an idempotency key belongs to its account: the account's other agents replay, another account's agent does not", async () => {
    const sent = { args: { idempotency_key: newId() } };
    const first = expectSuccess(await send([sent]));
    const colleague = await connectAgent(stack, tenant);
    expect(expectSuccess(await send([sent], WORK_ORDER, colleague.key))).to.deep.equal(first);
    const narrow = await connectAgent(stack, tenant, { scopes: ['read_work_orders'] });
    expect(expectToolError(await send([sent], WORK_ORDER, narrow.key)).code).to.equal('insufficient_scope');
    const other = await stack.createTenant();
    const otherAgent = await connectAgent(stack, other);
    const response = await send([sent], WORK_ORDER, otherAgent.key);
    expect(expectSuccess(response).id).to.not.equal(first.id);
    expect(response.headers).to.not.have.property('x-idempotency-replay');
    expect([await countWorkOrders(), await countWorkOrders(other)]).to.deep.equal([1, 1]);
    await Promise.all([colleague, narrow, otherAgent].map(({ client }) => client.close()));
  });

  it('a dry run and a refused call neither store nor use an idempotency key', async () => {
    const sent = { args: { idempotency_key: newId() } };
    expectSuccess(await send([sent, DRY_RUN_PLACES.meta as CallParts]));
    expectToolError(await send([sent], { service_type: 'Not A Slug' }));
    const first = await send([sent]);
    expect(first.headers).to.not.have.property('x-idempotency-replay');
    expect(expectSuccess(await send([sent, DRY_RUN_PLACES.meta as CallParts])).data.id).to.not.equal(
      expectSuccess(first).id,
    );
    expect(await countWorkOrders()).to.equal(1);
  });

  it('a call that is sent again after its connection was cut past the commit creates one work order', async () => {
    const key = newId();
    const params = { name, arguments: { ...WORK_ORDER, idempotency_key: key } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { hostname, port } = new URL(stack.origin);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const head = [
      'POST /mcp HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${agent.key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    // The client never reads, so it sees no response before it disconnects.
    socket.pause();
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    await eventually('the commit', async () => (await countWorkOrders()) === 1);
    socket.destroy();
    const again = await eventually('the replay', async () => {
      const response = await send([{ args: { idempotency_key: key } }]);
      return response.body.result.isError ? undefined : response;
    });
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    expect(await countWorkOrders()).to.equal(1);
    expect((await listEntries('ok')).filter(({ changes }) => changes !== null)).to.have.length(1);
  });
});
