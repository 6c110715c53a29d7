import { expect } from 'chai';
import { createLocalBus } from '../../shared/platform/bus.js';
import { newId } from '../../shared/platform/ids.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { startWritesWorker } from '../../workers/writes/index.js';
import type { Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { invoiceInput, UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const AGENT_SCOPES = ['read_invoices', 'write_invoices_draft'];

/** Sends a write that nobody takes, and resolves with the path of its operation. */
async function queued(answering: Promise<Answer>): Promise<string> {
  const answer = await answering;
  expect(answer.status, answer.text).to.equal(202);
  return `/operations/${answer.body.data.operation_id}`;
}

function start(): Promise<TestStack> {
  return TestStack.start({ worker: false, environment: { WRITE_TIMEOUT_MS: '300' } });
}

describe('operations while no worker takes writes', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  it('answers a write 202 with the place of its operation, which is queued', async () => {
    const before = Date.now();
    const answer = await tenant.client.post('/invoices', invoiceInput());
    expect(answer.status, answer.text).to.equal(202);
    const { operation_id } = answer.body.data;
    expect(answer.body).to.deep.equal({ ok: true, data: { operation_id, status: 'queued' } });
    expect(answer.headers.location).to.equal(`/v1/operations/${operation_id}`);
    const read = await tenant.client.get(`/operations/${operation_id}`);
    expect(read.status).to.equal(200);
    expect(read.body).to.have.all.keys('id', 'status', 'created_at');
    expect(read.body).to.include({ id: operation_id, status: 'queued' });
    expect(Date.parse(read.body.created_at)).to.be.within(before - 1000, Date.now() + 1000);
  });

  it('answers a dry run 503, as there is nothing to come back for', async () => {
    const count = () => stack.rows(tenant.id, 'select id from operations where tenant_id = $1', [tenant.id]);
    const before = await count();
    const headers = { 'x-service-dry-run': 'true' };
    const answer = await tenant.client.post('/invoices', invoiceInput(), { headers });
    expectError(answer, 503, 'service_unavailable');
    expect(answer.headers['retry-after']).to.equal('1');
    expect(await count()).to.deep.equal(before);
  });

  it('is 404 for another tenant, for the twin, and for an id that is unknown or none', async () => {
    const path = await queued(tenant.client.post('/invoices', invoiceInput()));
    const other = await stack.createTenant('Other');
    for (const client of [other.client, tenant.sandbox])
      expectError(await client.get(path), 404, 'not_found');
    for (const id of [UNKNOWN_ID, 'nonsense', `${UNKNOWN_ID}0`])
      expectError(await tenant.client.get(`/operations/${id}`), 404, 'not_found');
  });

  it('is shown to the agent that asked for it and to no other agent', async () => {
    const agents = await Promise.all(
      [0, 1].map(async () =>
        stack.clientWith(await stack.createKey(tenant.id, { kind: 'agent', scopes: AGENT_SCOPES })),
      ),
    );
    const [agent, stranger] = agents as [TestClient, TestClient];
    const path = await queued(agent.post('/invoices', invoiceInput()));
    expect((await agent.get(path)).status).to.equal(200);
    expect((await tenant.client.get(path)).status).to.equal(200);
    expectError(await stranger.get(path), 404, 'not_found');
    const ofKey = await queued(tenant.client.post('/invoices', invoiceInput()));
    expectError(await agent.get(ofKey), 404, 'not_found');
  });

  it('of API keys is shown to keys with the permission admin only', async () => {
    const path = await queued(tenant.client.post('/api-keys', { name: 'Late' }));
    const plain = stack.clientWith(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    expectError(await plain.get(path), 404, 'not_found');
    expect((await tenant.client.get(path)).body.status).to.equal('queued');
  });
});

describe('operations once a worker is there again', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const paths: Record<string, string> = {};
  const idempotent = { headers: { 'idempotency-key': newId() } };
  const keyHeaders = { headers: { 'idempotency-key': newId() } };
  const reused = { headers: { 'idempotency-key': newId() } };
  const body = invoiceInput({ notes: 'once' });
  const number = invoiceInput();

  before(async function () {
    this.timeout(60_000);
    stack = await start();
    tenant = await stack.createTenant();
    const { client } = tenant;
    const writes: [string, () => Promise<Answer>][] = [
      ['invoice', () => client.post('/invoices', invoiceInput({ notes: 'late' }))],
      ['taken', () => client.post('/invoices', number)],
      ['takenToo', () => client.post('/invoices', number)],
      ['first', () => client.post('/invoices', body, idempotent)],
      ['retried', () => client.post('/invoices', body, idempotent)],
      ['original', () => client.post('/invoices', invoiceInput({ notes: 'original' }), reused)],
      ['changed', () => client.post('/invoices', invoiceInput({ notes: 'changed' }), reused)],
      ['key', () => client.post('/api-keys', { name: 'Late' }, keyHeaders)],
      ['keyRetried', () => client.post('/api-keys', { name: 'Late' }, keyHeaders)],
    ];
    for (const [name, send] of writes) paths[name] = await queued(send());
    // What the queue held is lost: only the clock can bring these writes back.
    await openWritesQueue(stack.runtime).drain();
    startWritesWorker(stack.runtime);
    await Promise.all(Object.keys(paths).map((name) => settled(name)));
  });
  after(() => stack.stop());

  const settled = (name: string): Promise<Answer['body']> =>
    eventually(
      `operation ${name} settles`,
      async () => {
        const answer = await tenant.client.get(paths[name] as string);
        return answer.body.status !== 'queued' && answer.body;
      },
      45_000,
    );

  it('succeed with the resource, though the queue lost them', async () => {
    const operation = await settled('invoice');
    expect(operation.status).to.equal('succeeded');
    expect(operation).to.not.have.property('error');
    expect(operation.result).to.include({ notes: 'late', status: 'draft' });
    const read = await tenant.client.get(`/invoices/${operation.result.id}`);
    expect(read.body).to.deep.equal(operation.result);
  });

  it('fail with the error that the write would have been answered with', async () => {
    const both = [await settled('taken'), await settled('takenToo')];
    expect(both.map(({ status }) => status).sort()).to.deep.equal(['failed', 'succeeded']);
    const failed = both.find(({ status }) => status === 'failed');
    expect(failed).to.not.have.property('result');
    expect(failed.error.code).to.equal('duplicate_invoice_number');
    expect(failed.error.details[0]).to.include({ field: 'invoice_number', code: 'duplicate' });
  });

  it('with one Idempotency-Key have one effect, and each of them shows it', async () => {
    const [first, retried] = [await settled('first'), await settled('retried')];
    expect([first.status, retried.status]).to.deep.equal(['succeeded', 'succeeded']);
    expect(retried.result).to.deep.equal(first.result);
    const text = 'select id from invoices where tenant_id = $1 and notes = $2';
    const rows = await stack.rows(tenant.id, text, [tenant.id, 'once']);
    expect(rows).to.deep.equal([{ id: first.result.id }]);
    const again = await tenant.client.post('/invoices', body, idempotent);
    expect(again.body).to.deep.equal(first.result);
  });

  it('with one Idempotency-Key and different bodies: one succeeds, the other fails as a reuse of the key', async () => {
    const both = [await settled('original'), await settled('changed')];
    const winner = both.find(({ status }) => status === 'succeeded');
    const [loser] = both.filter((operation) => operation !== winner);
    expect(loser).to.include({ status: 'failed' });
    expect(loser.error.code).to.equal('idempotency_key_reused');
    expect(loser.error.details.map(({ field }: { field: string }) => field)).to.deep.equal(['body']);
    const text = "select id from invoices where tenant_id = $1 and notes in ('original', 'changed')";
    expect(await stack.rows(tenant.id, text, [tenant.id])).to.deep.equal([{ id: winner.result.id }]);
  });

  it('that made an API key show the key, the same working one for a retry', async () => {
    const [first, retried] = [await settled('key'), await settled('keyRetried')];
    expect(first.result.key).to.match(/^tk_live_/);
    expect(retried.result.id).to.equal(first.result.id);
    expect(retried.result.key).to.equal(first.result.key);
    const me = await stack.clientWith(first.result.key).get('/me');
    expect(me.body.key).to.include({ id: first.result.id, name: 'Late' });
  });

  it('are counted as pending no longer', async () => {
    await eventually('tow_operations_pending is 0', async () => {
      const metrics = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
      return /^tow_operations_pending 0$/m.test(metrics);
    });
  });
});

describe('writes whose reply is lost', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start({ worker: false, environment: { WRITE_TIMEOUT_MS: '1000' } });
    tenant = await stack.createTenant();
    // A bus of the worker's own: what it publishes reaches nobody.
    startWritesWorker({ ...stack.runtime, bus: createLocalBus() });
  });
  after(() => stack.stop());

  it('are answered 201 by what was committed', async () => {
    const answer = await tenant.client.post('/invoices', invoiceInput());
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.headers.location).to.equal(`/v1/invoices/${answer.body.id}`);
    expect((await tenant.client.get(`/invoices/${answer.body.id}`)).text).to.equal(answer.text);
  });

  it('are answered with their own error when they failed', async () => {
    const body = invoiceInput();
    expect((await tenant.client.post('/invoices', body)).status).to.equal(201);
    expectError(await tenant.client.post('/invoices', body), 409, 'duplicate_invoice_number');
  });

  it('still show the API key that they made', async () => {
    const answer = await tenant.client.post('/api-keys', { name: 'Unheard' });
    expect(answer.status, answer.text).to.equal(201);
    expect((await stack.clientWith(answer.body.key).get('/me')).body.key.id).to.equal(answer.body.id);
  });
});
