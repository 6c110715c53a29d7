import { connect } from 'node:net';
import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { withAccounts } from '../support/accounts.js';
import { newAgent, type TestAgent } from '../support/agent.js';
import type { Answer, Json } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { RawMcp } from '../support/raw-mcp.js';
import type { TestStack, TestTenant } from '../support/stack.js';

const JOB = { service_type: 'tow', pickup_location: 'Main St' };
const name = 'create_work_order';

/** The three ways in which a call can say something beside its arguments. */
const WAYS: Record<string, (key: string) => Sent> = {
  header: (key) => ({ headers: { 'Idempotency-Key': key } }),
  meta: (key) => ({ meta: { idempotency_key: key } }),
  argument: (key) => ({ args: { idempotency_key: key } }),
};
const DRY: Record<string, Sent> = {
  header: { headers: { 'X-Service-Dry-Run': 'true' } },
  meta: { meta: { dry_run: true } },
  argument: { args: { dry_run: true } },
};

interface Sent {
  headers?: Record<string, string>;
  meta?: Record<string, unknown>;
  args?: Record<string, unknown>;
}

describe('idempotency and dry run over MCP', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  withAccounts(async (account) => {
    ({ stack, tenant } = account);
    agent = await newAgent(stack, tenant);
    return () => agent.client.close();
  });

  const send = (parts: Sent[], args: Record<string, unknown> = JOB, key = agent.key): Promise<Answer> => {
    const all = <K extends keyof Sent>(part: K) => Object.assign({}, ...parts.map((one) => one[part] ?? {}));
    const options = { meta: all('meta'), headers: all('headers') };
    return new RawMcp(stack.origin, key).call(name, { ...args, ...all('args') }, options);
  };
  const made = ({ status, body, text }: Answer): Json => {
    expect([status, body.result?.isError ?? false], text).to.deep.equal([200, false]);
    return body.result.structuredContent;
  };
  const refused = ({ status, body, text }: Answer): Json => {
    expect([status, body.result?.isError], text).to.deep.equal([200, true]);
    return JSON.parse(body.result.content[0].text);
  };
  const jobs = async (of = tenant) => (await of.client.get('/work-orders')).body.data.count as number;
  const entries = (outcome: string) =>
    stack.rows<Json>(tenant.id, 'select * from audit_entries where tenant_id = $1 and outcome = $2', [
      tenant.id,
      outcome,
    ]);

  for (const [way, sentBy] of Object.entries(WAYS)) {
    it(`replays what came before with the same key by ${way}, and says so`, async () => {
      const key = newId();
      const first = await send([sentBy(key)]);
      expect(first.headers).to.not.have.property('x-idempotency-replay');
      for (const again of Object.values(WAYS)) {
        const answer = await send([again(key.toUpperCase())]);
        expect(made(answer)).to.deep.equal(made(first));
        expect(answer.headers['x-idempotency-replay']).to.equal('true');
        expect(answer.body.result.content[0].text).to.include('done before under the same idempotency_key');
      }
      expect(await jobs()).to.equal(1);
      expect(refused(await send([sentBy(newId().slice(1))])).code).to.equal('invalid_idempotency_key');
    });

    it(`is rehearsed by ${way}: nothing is stored`, async () => {
      const before = await counts();
      const answer = await send([DRY[way] as Sent]);
      expect(made(answer)).to.deep.include({ ok: true, dry_run: true, warnings: [] });
      expect(made(answer).data).to.include({ service_type: 'tow', status: 'new' });
      expect(answer.headers['x-service-dry-run']).to.equal('true');
      expect(await counts()).to.deep.equal({ ...before, audit_entries: (before.audit_entries ?? 0) + 1 });
    });
  }

  /** Rows of every table. */
  const counts = async (): Promise<Record<string, number>> => {
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

  it('takes the same key or wish from two places, and refuses different ones', async () => {
    const key = newId();
    const { header, meta, argument } = WAYS as Record<'header' | 'meta' | 'argument', (key: string) => Sent>;
    made(await send([header(key), argument(key.toUpperCase()), meta(key)]));
    for (const pair of [
      [header(key), meta(newId())],
      [header(key), argument(newId())],
      [meta(key), argument(newId())],
    ])
      expect(refused(await send(pair)).code).to.equal('validation_error');
    expect(made(await send([DRY.header as Sent, DRY.argument as Sent, DRY.meta as Sent]))).to.include({
      dry_run: true,
    });
    const contrary = refused(await send([DRY.header as Sent, { args: { dry_run: false } }]));
    expect(contrary.details[0].field).to.equal('dry_run');
    expect(refused(await send([{ headers: { 'X-Service-Dry-Run': 'yes' } }])).code).to.equal(
      'validation_error',
    );
    expect(refused(await send([{ meta: { dry_run: 'true' } }])).code).to.equal('validation_error');
    expect(refused(await send([{ args: { idempotency_key: 5 } }])).code).to.equal('invalid_idempotency_key');
    expect(await jobs()).to.equal(1);
  });

  it('runs fifty calls with one key once, with one entry of the command', async () => {
    const key = newId();
    const ways = Object.values(WAYS);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => send([(ways[index % 3] as (key: string) => Sent)(key)])),
    );
    const good = answers.filter(({ body }) => !body.result.isError).map(made);
    expect(new Set(good.map(({ id }) => id)).size).to.equal(1);
    for (const answer of answers.filter(({ body }) => body.result.isError))
      expect(refused(answer).code).to.equal('idempotency_in_progress');
    expect(await jobs()).to.equal(1);
    const own = (await entries('ok')).filter(({ changes }) => changes !== null);
    expect(own).to.have.length(1);
    expect(own[0]).to.include({ idempotency_key: key, tool: name });
    // Each of the fifty stands in the log.
    const all = [...(await entries('ok')), ...(await entries('failed'))];
    expect(all.filter(({ tool }) => tool === name)).to.have.length(50);
    expect(made(await send([{ args: { idempotency_key: key } }])).id).to.equal(good[0].id);
  });

  it('tells a key that was used for something else, on either way in', async () => {
    const key = newId();
    const sent = { args: { idempotency_key: key } };
    made(await send([sent]));
    const error = refused(await send([sent], { service_type: 'other' }));
    expect([error.code, error.details[0].field]).to.deep.equal(['idempotency_key_reused', 'body']);
    const rest = await tenant.client.post('/work-orders', JOB, { headers: { 'Idempotency-Key': key } });
    expect([rest.status, rest.body.error.code]).to.deep.equal([422, 'idempotency_key_reused']);
    expect(await jobs()).to.equal(1);
  });

  it("holds for the account: another of its agents replays, another account's starts anew", async () => {
    const sent = { args: { idempotency_key: newId() } };
    const first = made(await send([sent]));
    const colleague = await newAgent(stack, tenant);
    expect(made(await send([sent], JOB, colleague.key))).to.deep.equal(first);
    const narrow = await newAgent(stack, tenant, { scopes: ['read_work_orders'] });
    expect(refused(await send([sent], JOB, narrow.key)).code).to.equal('insufficient_scope');
    const other = await stack.createTenant();
    const stranger = await newAgent(stack, other);
    const answer = await send([sent], JOB, stranger.key);
    expect(made(answer).id).to.not.equal(first.id);
    expect(answer.headers).to.not.have.property('x-idempotency-replay');
    expect([await jobs(), await jobs(other)]).to.deep.equal([1, 1]);
    await Promise.all([colleague, narrow, stranger].map(({ client }) => client.close()));
  });

  it('neither keeps nor uses a key in a dry run, nor for a call that was refused', async () => {
    const sent = { args: { idempotency_key: newId() } };
    made(await send([sent, DRY.meta as Sent]));
    refused(await send([sent], { service_type: 'Not A Slug' }));
    const first = await send([sent]);
    expect(first.headers).to.not.have.property('x-idempotency-replay');
    expect(made(await send([sent, DRY.meta as Sent])).data.id).to.not.equal(made(first).id);
    expect(await jobs()).to.equal(1);
  });

  it('makes one row when the connection is cut after the commit and the call sent again', async () => {
    const key = newId();
    const params = { name, arguments: { ...JOB, idempotency_key: key } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const { hostname, port } = new URL(stack.origin);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const head = [
      ...['POST /mcp HTTP/1.1', `Host: ${hostname}:${port}`, `Authorization: Bearer ${agent.key}`],
      ...['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`],
    ];
    // Nobody reads: whether the answer was sent or not, its client is gone.
    socket.pause();
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    await eventually('the commit', async () => (await jobs()) === 1);
    socket.destroy();
    const again = await eventually('the replay', async () => {
      const answer = await send([{ args: { idempotency_key: key } }]);
      return answer.body.result.isError ? undefined : answer;
    });
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    expect(await jobs()).to.equal(1);
    expect((await entries('ok')).filter(({ changes }) => changes !== null)).to.have.length(1);
  });
});
