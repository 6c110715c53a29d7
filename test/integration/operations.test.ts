import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { startWritesWorker } from '../../workers/writes/index.js';
import type { Answer } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { endpointInput, invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const SETTINGS = { worker: false, environment: { WRITE_TIMEOUT_MS: '300' } };

/** Each test lets the worker start when it wants to, so each has a stack of its own. */
describe('operations: writes whose commit is still to come', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  beforeEach(async () => {
    stack = await TestStack.start(SETTINGS);
    tenant = await stack.createTenant();
  });
  afterEach(() => stack.stop());

  /** Sends a write that nobody takes in time. Resolves with the id of its operation. */
  async function accepted(sending: Promise<Answer>): Promise<string> {
    const answer = await sending;
    expect(answer.status, answer.text).to.equal(202);
    const { operation_id } = answer.body.data;
    expect(answer.body).to.deep.equal({ ok: true, data: { operation_id, status: 'queued' } });
    expect(answer.headers.location).to.equal(`/v1/operations/${operation_id}`);
    return operation_id;
  }
  const settled = (id: string): Promise<Answer['body']> =>
    eventually('the operation is settled', async () => {
      const answer = await tenant.client.get(`/operations/${id}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.status === 'queued' ? undefined : answer.body;
    });

  it('are answered 202, are queued until a worker comes, and then succeed with the resource', async () => {
    const input = invoiceInput();
    const id = await accepted(tenant.client.post('/invoices', input));
    const queued = await tenant.client.get(`/operations/${id}`);
    expect(Object.keys(queued.body)).to.deep.equal(['id', 'status', 'created_at']);
    expect(queued.body).to.include({ id, status: 'queued' });
    expect((await tenant.client.get('/invoices')).body.data.count).to.equal(0);

    startWritesWorker(stack.runtime);
    const done = await settled(id);
    expect(done).to.include({ id, status: 'succeeded', created_at: queued.body.created_at });
    expect(done).to.not.have.property('error');
    const read = await tenant.client.get(`/invoices/${done.result.id}`);
    expect(read.body).to.deep.equal(done.result);
    expect(read.body.invoice_number).to.equal(input.invoice_number);
  });

  it('run by the clock when the queue lost their job, and once', async () => {
    const id = await accepted(tenant.client.post('/customers', { company_name: 'Lost job' }));
    await openWritesQueue(stack.runtime).drain();
    startWritesWorker(stack.runtime);
    const done = await settled(id);
    expect(done.status).to.equal('succeeded');
    const rows = await stack.rows(tenant.id, "select id from customers where company_name = 'Lost job'");
    expect(rows).to.deep.equal([{ id: done.result.id }]);
    const entries = await stack.rows(tenant.id, 'select outcome from audit_entries where entity_id = $1', [
      done.result.id,
    ]);
    expect(entries).to.deep.equal([{ outcome: 'ok' }]);
  });

  it('fail with the error that the write would have been answered with', async () => {
    const invoice_number = 'TWICE-1';
    const ids = [
      await accepted(tenant.client.post('/invoices', { invoice_number })),
      await accepted(tenant.client.post('/invoices', { invoice_number: 'twice-1' })),
      await accepted(tenant.client.patch(`/customers/${randomUUID()}`, { city: 'x' })),
    ];
    startWritesWorker(stack.runtime);
    const [first, second, third] = await Promise.all(ids.map(settled));
    // Which of the two comes first is the queue's affair; that one does and one does not is not.
    const [winner, loser] = first.status === 'succeeded' ? [first, second] : [second, first];
    expect([winner.status, loser.status, third.status]).to.deep.equal(['succeeded', 'failed', 'failed']);
    expect(loser).to.not.have.property('result');
    expect(loser.error.code).to.equal('duplicate_invoice_number');
    expect(loser.error.details[0]).to.include({ field: 'invoice_number', code: 'duplicate' });
    expect(third.error.code).to.equal('not_found');
  });

  it('are the same 404 for a foreign tenant, the twin, an unknown and a malformed id', async () => {
    const id = await accepted(tenant.client.post('/customers', { company_name: 'C' }));
    const other = await stack.createTenant('Other');
    for (const client of [other.client, tenant.sandbox])
      expectError(await client.get(`/operations/${id}`), 404, 'not_found');
    for (const unknown of [randomUUID(), 'x']) {
      expectError(await tenant.client.get(`/operations/${unknown}`), 404, 'not_found');
    }
    expect((await tenant.client.get(`/operations/${id}`)).status).to.equal(200);
  });

  it('are told for 24 hours', async () => {
    const id = await accepted(tenant.client.post('/customers', { company_name: 'C' }));
    const age = (hours: number) =>
      stack.rows(
        tenant.id,
        `update operations set created_at = now() - interval '${hours} hours' where id = $1`,
        [id],
      );
    await age(23.9);
    expect((await tenant.client.get(`/operations/${id}`)).status).to.equal(200);
    await age(24.1);
    expectError(await tenant.client.get(`/operations/${id}`), 404, 'not_found');
  });

  it('retried under the same Idempotency-Key have one effect, and every answer shows it', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => tenant.client.post('/work-orders', { service_type: 'tow' }, { headers });
    const ids = [await accepted(send()), await accepted(send())];
    startWritesWorker(stack.runtime);
    const outcomes = await Promise.all(ids.map(settled));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['succeeded', 'succeeded']);
    const retry = await send();
    expect(retry.status, retry.text).to.equal(201);
    expect(retry.headers['x-idempotency-replay']).to.equal('true');
    for (const { result } of outcomes) expect(result).to.deep.equal(retry.body);
    expect(await stack.rows(tenant.id, 'select id from work_orders')).to.deep.equal([{ id: retry.body.id }]);
  });

  it('that bring the Idempotency-Key of another request fail with idempotency_key_reused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (company_name: string) => tenant.client.post('/customers', { company_name }, { headers });
    const ids = [await accepted(send('One')), await accepted(send('Two'))];
    startWritesWorker(stack.runtime);
    const outcomes = await Promise.all(ids.map(settled));
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['failed', 'succeeded']);
    expect(outcomes.find(({ status }) => status === 'failed').error.code).to.equal('idempotency_key_reused');
    expect(await stack.rows(tenant.id, 'select id from customers')).to.have.length(1);
  });

  it('are counted by a metric until they ran, retries under one key included', async () => {
    const pending = async (): Promise<string | undefined> => {
      const text = await (await fetch(`${stack.origin}/metrics`)).text();
      return /^tow_operations_pending (\d+)$/m.exec(text)?.[1];
    };
    const headers = { 'idempotency-key': randomUUID() };
    for (let time = 0; time < 2; time += 1) {
      await accepted(tenant.client.post('/customers', { company_name: 'C' }, { headers }));
    }
    await eventually('two are pending', async () => (await pending()) === '2');
    startWritesWorker(stack.runtime);
    await eventually('none is pending', async () => (await pending()) === '0');
  });

  it('are none for a dry run: it is 503 and leaves nothing to run later', async () => {
    const answer = await tenant.client.post(
      '/customers',
      { company_name: 'Dry' },
      { headers: { 'x-service-dry-run': 'true' } },
    );
    expectError(answer, 503, 'service_unavailable');
    expect(answer.headers['retry-after']).to.equal('1');
    expect(await stack.rows(tenant.id, 'select id from operations')).to.deep.equal([]);
  });

  it('that make an API key show it once they are done, to keys with the permission admin', async () => {
    const id = await accepted(tenant.client.post('/api-keys', { name: 'late' }));
    startWritesWorker(stack.runtime);
    const { result } = await settled(id);
    expect((await stack.clientWith(result.key).get('/me')).body.key.id).to.equal(result.id);
    const reader = stack.clientWith(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    expectError(await reader.get(`/operations/${id}`), 404, 'not_found');
  });

  it('that retry the making of an API key show the one key that was made, and it works', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => tenant.client.post('/api-keys', { name: 'late' }, { headers });
    const ids = [await accepted(send()), await accepted(send())];
    startWritesWorker(stack.runtime);
    const [first, second] = await Promise.all(ids.map(settled));
    expect(second.result.id).to.equal(first.result.id);
    expect(second.result.key).to.equal(first.result.key);
    expect((await stack.clientWith(first.result.key).get('/me')).body.key.id).to.equal(first.result.id);
  });

  it('that make a webhook endpoint show its secret once they are done', async () => {
    const id = await accepted(tenant.client.post('/webhook-endpoints', endpointInput()));
    startWritesWorker(stack.runtime);
    const { result } = await settled(id);
    expect(result.secret).to.match(/^whsec_/);
    expect((await tenant.client.get(`/webhook-endpoints/${result.id}`)).status).to.equal(200);
  });

  it('of an agent are shown to that agent and to API keys, not to another agent', async () => {
    const agent = { kind: 'agent' as const, scopes: ['write_invoices_draft', 'read_invoices'] };
    const asking = stack.clientWith(await stack.createKey(tenant.id, agent));
    const other = stack.clientWith(await stack.createKey(tenant.id, agent));
    const own = await accepted(asking.post('/invoices', invoiceInput()));
    const foreign = await accepted(tenant.client.post('/invoices', invoiceInput()));
    for (const client of [asking, tenant.client])
      expect((await client.get(`/operations/${own}`)).body.status).to.equal('queued');
    expectError(await other.get(`/operations/${own}`), 404, 'not_found');
    expectError(await asking.get(`/operations/${foreign}`), 404, 'not_found');
  });

  it('that revoke a key end it, although nobody announced it', async () => {
    const key = await stack.createKey(tenant.id);
    const client = stack.clientWith(key);
    const { id } = (await client.get('/me')).body.key;
    await accepted(tenant.client.delete(`/api-keys/${id}`));
    expect((await client.get('/me')).status).to.equal(200);
    startWritesWorker(stack.runtime);
    await eventually('the key ends', async () => (await client.get('/me')).status === 401);
  });
});
