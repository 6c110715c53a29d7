import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { endpointInput, invoiceInput, withoutLinks } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { usePausedWrites } from '../../support/writes/paused-writes.js';

describe('operations of writes that were not committed in time', () => {
  const stack = useStack({ environment: { WRITE_TIMEOUT_MS: '500' }, clock: true }, 'paused writes');
  const writes = usePausedWrites(stack);
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await stack.createTenant();
  });
  // Wait until all operations have run. The tests read a gauge, and this gauge includes the
  // operations of all accounts.
  afterEach(() => eventually('no operation is pending', async () => (await readPendingGauge()) === '0'));

  const readPendingGauge = async (): Promise<string | undefined> => {
    const text = await (await fetch(`${stack.origin}/metrics`)).text();
    return /^tow_operations_pending (\d+)$/m.exec(text)?.[1];
  };

  /**
   * Asserts that a write gets 202 because no worker runs it in time. Returns the operation's id.
   */
  async function expectAccepted(request: Promise<TestResponse>): Promise<string> {
    const response = await request;
    expect(response.status, response.text).to.equal(202);
    const { operation_id } = response.body.data;
    expect(response.body).to.deep.equal({ ok: true, data: { operation_id, status: 'queued' } });
    expect(response.headers.location).to.equal(`/v1/operations/${operation_id}`);
    return operation_id;
  }
  const waitForOutcome = (id: string): Promise<TestResponse['body']> =>
    eventually('the operation has run', async () => {
      const response = await tenant.client.get(`/operations/${id}`);
      expect(response.status, response.text).to.equal(200);
      return response.body.status === 'queued' ? undefined : response.body;
    });

  it('a write that no worker runs in time returns 202, stays queued, and later succeeds with the resource', async () => {
    const input = invoiceInput();
    const id = await expectAccepted(tenant.client.post('/invoices', input));
    const queued = await tenant.client.get(`/operations/${id}`);
    expect(Object.keys(queued.body)).to.deep.equal(['id', 'status', 'created_at']);
    expect(queued.body).to.include({ id, status: 'queued' });
    expect((await tenant.client.get('/invoices')).body.data.count).to.equal(0);

    await writes.resume();
    const done = await waitForOutcome(id);
    expect(done).to.include({ id, status: 'succeeded', created_at: queued.body.created_at });
    expect(done).to.not.have.property('error');
    const read = await tenant.client.get(`/invoices/${done.result.id}`);
    expect(read.body).to.deep.equal(done.result);
    expect(read.body.invoice_number).to.equal(input.invoice_number);
  });

  it('the clock runs an operation whose job the queue lost, and runs it once', async () => {
    const id = await expectAccepted(tenant.client.post('/customers', { company_name: 'Lost job' }));
    await writes.queue.drain();
    await writes.resume();
    const done = await waitForOutcome(id);
    expect(done.status).to.equal('succeeded');
    const rows = await stack.rows(tenant.id, "select id from customers where company_name = 'Lost job'");
    expect(rows).to.deep.equal([{ id: done.result.id }]);
    const entries = await stack.rows(tenant.id, 'select outcome from audit_entries where entity_id = $1', [
      done.result.id,
    ]);
    expect(entries).to.deep.equal([{ outcome: 'ok' }]);
  });

  it('an operation fails with the error that the write would have returned', async () => {
    const invoice_number = 'TWICE-1';
    const ids = [
      await expectAccepted(tenant.client.post('/invoices', { invoice_number })),
      await expectAccepted(tenant.client.post('/invoices', { invoice_number: 'twice-1' })),
      await expectAccepted(tenant.client.patch(`/customers/${randomUUID()}`, { city: 'x' })),
    ];
    await writes.resume();
    const [first, second, third] = await Promise.all(ids.map(waitForOutcome));
    // Either of the two invoices may run first. Exactly one of them succeeds.
    const [winner, loser] = first.status === 'succeeded' ? [first, second] : [second, first];
    expect([winner.status, loser.status, third.status]).to.deep.equal(['succeeded', 'failed', 'failed']);
    expect(loser).to.not.have.property('result');
    expect(loser.error.code).to.equal('duplicate_invoice_number');
    expect(loser.error.details[0]).to.include({ field: 'invoice_number', code: 'duplicate' });
    expect(third.error.code).to.equal('not_found');
  });

  it('GET /operations/{id} returns the same 404 for another tenant, the sandbox, an unknown id and a malformed id', async () => {
    const id = await expectAccepted(tenant.client.post('/customers', { company_name: 'C' }));
    const other = await stack.createTenant('Other');
    for (const client of [other.client, tenant.sandbox])
      expectError(await client.get(`/operations/${id}`), 404, 'not_found');
    for (const unknown of [randomUUID(), 'x']) {
      expectError(await tenant.client.get(`/operations/${unknown}`), 404, 'not_found');
    }
    expect((await tenant.client.get(`/operations/${id}`)).status).to.equal(200);
  });

  it('GET /operations/{id} returns an operation for 24 hours and then 404', async () => {
    const id = await expectAccepted(tenant.client.post('/customers', { company_name: 'C' }));
    const setAge = (hours: number) =>
      stack.rows(
        tenant.id,
        `update operations set created_at = now() - interval '${hours} hours' where id = $1`,
        [id],
      );
    await setAge(23.9);
    expect((await tenant.client.get(`/operations/${id}`)).status).to.equal(200);
    await setAge(24.1);
    expectError(await tenant.client.get(`/operations/${id}`), 404, 'not_found');
  });

  it('operations with the same Idempotency-Key have one effect, and each of them shows its result', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => tenant.client.post('/work-orders', { service_type: 'tow' }, { headers });
    const ids = [await expectAccepted(send()), await expectAccepted(send())];
    await writes.resume();
    const outcomes = await Promise.all(ids.map(waitForOutcome));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['succeeded', 'succeeded']);
    const retry = await send();
    expect(retry.status, retry.text).to.equal(201);
    expect(retry.headers['x-idempotency-replay']).to.equal('true');
    for (const { result } of outcomes) expect(result).to.deep.equal(withoutLinks(retry.body));
    expect(await stack.rows(tenant.id, 'select id from work_orders')).to.deep.equal([{ id: retry.body.id }]);
  });

  it('an operation with the Idempotency-Key of another request fails with idempotency_key_reused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = (company_name: string) => tenant.client.post('/customers', { company_name }, { headers });
    const ids = [await expectAccepted(send('One')), await expectAccepted(send('Two'))];
    await writes.resume();
    const outcomes = await Promise.all(ids.map(waitForOutcome));
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['failed', 'succeeded']);
    expect(outcomes.find(({ status }) => status === 'failed').error.code).to.equal('idempotency_key_reused');
    expect(await stack.rows(tenant.id, 'select id from customers')).to.have.length(1);
  });

  it('tow_operations_pending counts operations until they have run, including retries under one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    for (let time = 0; time < 2; time += 1) {
      await expectAccepted(tenant.client.post('/customers', { company_name: 'C' }, { headers }));
    }
    await eventually('two are pending', async () => (await readPendingGauge()) === '2');
    await writes.resume();
    await eventually('none is pending', async () => (await readPendingGauge()) === '0');
  });

  it('a dry run that no worker runs in time returns 503 and stores no operation', async () => {
    const response = await tenant.client.post(
      '/customers',
      { company_name: 'Dry' },
      { headers: { 'x-service-dry-run': 'true' } },
    );
    expectError(response, 503, 'service_unavailable');
    expect(response.headers['retry-after']).to.equal('1');
    expect(await stack.rows(tenant.id, 'select id from operations')).to.deep.equal([]);
  });

  it('an operation that created an API key shows the key only to keys with the permission admin', async () => {
    const id = await expectAccepted(tenant.client.post('/api-keys', { name: 'late' }));
    await writes.resume();
    const { result } = await waitForOutcome(id);
    expect((await stack.createClient(result.key).get('/me')).body.key.id).to.equal(result.id);
    const reader = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    expectError(await reader.get(`/operations/${id}`), 404, 'not_found');
  });

  it('operations that retry the creation of an API key all show the one key, and the key works', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => tenant.client.post('/api-keys', { name: 'late' }, { headers });
    const ids = [await expectAccepted(send()), await expectAccepted(send())];
    await writes.resume();
    const [first, second] = await Promise.all(ids.map(waitForOutcome));
    expect(second.result.id).to.equal(first.result.id);
    expect(second.result.key).to.equal(first.result.key);
    expect((await stack.createClient(first.result.key).get('/me')).body.key.id).to.equal(first.result.id);
  });

  it('an operation that created a webhook endpoint shows its secret', async () => {
    const id = await expectAccepted(tenant.client.post('/webhook-endpoints', endpointInput()));
    await writes.resume();
    const { result } = await waitForOutcome(id);
    expect(result.secret).to.match(/^whsec_/);
    expect((await tenant.client.get(`/webhook-endpoints/${result.id}`)).status).to.equal(200);
  });

  it("an agent's operation is visible to that agent and to API keys, not to another agent", async () => {
    const agent = { kind: 'agent' as const, scopes: ['write_invoices_draft', 'read_invoices'] };
    const agentClient = stack.createClient(await stack.createKey(tenant.id, agent));
    const other = stack.createClient(await stack.createKey(tenant.id, agent));
    const ownOperation = await expectAccepted(agentClient.post('/invoices', invoiceInput()));
    const otherOperation = await expectAccepted(tenant.client.post('/invoices', invoiceInput()));
    for (const client of [agentClient, tenant.client])
      expect((await client.get(`/operations/${ownOperation}`)).body.status).to.equal('queued');
    expectError(await other.get(`/operations/${ownOperation}`), 404, 'not_found');
    expectError(await agentClient.get(`/operations/${otherOperation}`), 404, 'not_found');
  });

  it('an operation that revokes an API key ends its access although the API sent no broadcast', async () => {
    const key = await stack.createKey(tenant.id);
    const client = stack.createClient(key);
    const { id } = (await client.get('/me')).body.key;
    await expectAccepted(tenant.client.delete(`/api-keys/${id}`));
    expect((await client.get('/me')).status).to.equal(200);
    await writes.resume();
    await eventually('the key is refused', async () => (await client.get('/me')).status === 401);
  });
});
