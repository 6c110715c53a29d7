import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApi } from '../../../api/start-api.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { TestClient, type TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const withKey = (key: string, headers: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...headers },
});

describe('Idempotency-Key', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const countRows = async (table: string, owner = tenant.id): Promise<number> => {
    const [row] = await stack.rows<{ count: number }>(owner, `select count(*)::int as count from ${table}`);
    return row?.count ?? -1;
  };

  function expectReplay(replay: TestResponse, first: TestResponse): void {
    expect(replay.status, replay.text).to.equal(first.status);
    expect(replay.text).to.equal(first.text);
    expect(replay.headers.location).to.equal(first.headers.location);
    expect(first.headers).to.not.have.property('x-idempotency-replay');
    expect(replay.headers['x-idempotency-replay']).to.equal('true');
    expect(replay.headers['x-request-id']).to.not.equal(first.headers['x-request-id']);
  }

  const WRITES: [string, () => unknown][] = [
    ['/invoices', invoiceInput],
    ['/work-orders', () => ({ service_type: 'tow' })],
    ['/customers', () => ({ company_name: 'C' })],
  ];
  for (const [path, input] of WRITES) {
    it(`two POST ${path} with one Idempotency-Key create one record and get the same response`, async () => {
      const [key, body] = [randomUUID(), input()];
      const first = await tenant.client.post(path, body, withKey(key));
      expect(first.status, first.text).to.equal(201);
      const count = await countRows(path.slice(1).replace('-', '_'));
      expectReplay(await tenant.client.post(path, body, withKey(key)), first);
      expectReplay(await tenant.client.post(path, body, withKey(key.toUpperCase())), first);
      expect(await countRows(path.slice(1).replace('-', '_'))).to.equal(count);
    });

    it(`PATCH ${path}/{id} with a used Idempotency-Key gets the first response, even after later changes`, async () => {
      const { id } = (await tenant.client.post(path, input())).body;
      const [key, patch] = [randomUUID(), path === '/customers' ? { city: 'one' } : { notes: 'one' }];
      const first = await tenant.client.patch(`${path}/${id}`, patch, withKey(key));
      expect(first.status, first.text).to.equal(200);
      const later = Object.fromEntries(Object.keys(patch).map((member) => [member, 'two']));
      await tenant.client.patch(`${path}/${id}`, later);
      expectReplay(await tenant.client.patch(`${path}/${id}`, patch, withKey(key)), first);
      expect((await tenant.client.get(`${path}/${id}`)).body).to.include(later);
    });
  }

  it('an Idempotency-Key is valid across all API keys of a tenant and both prefixes', async () => {
    const [key, body] = [randomUUID(), invoiceInput()];
    const first = await tenant.client.post('/invoices', body, withKey(key));
    const credential = await stack.createKey(tenant.id);
    expectReplay(await stack.createClient(credential).post('/invoices', body, withKey(key)), first);
    const longPrefix = await new TestClient(stack.origin, credential, '/api/v1').post(
      '/invoices',
      body,
      withKey(key),
    );
    expect(longPrefix.text).to.equal(first.text);
    expect(longPrefix.headers).to.include({
      location: `/api${first.headers.location}`,
      'x-idempotency-replay': 'true',
    });
  });

  it('an Idempotency-Key ignores whitespace and the sequence of members in the body', async () => {
    const key = randomUUID();
    const send = (raw: string) => tenant.client.call('POST', '/work-orders', { raw, ...withKey(key) });
    const first = await send('{"service_type":"tow","vehicle":{"make":"m","year":2000}}');
    expectReplay(await send(' { "vehicle" : {"year":2e3, "make":"\\u006d"},\n"service_type":"tow"} '), first);
  });

  it('an Idempotency-Key with another body, path or method is 422, lists the differences and keeps the stored response', async () => {
    const key = randomUUID();
    const first = await tenant.client.post('/customers', { company_name: 'One' }, withKey(key));
    const getDifferingFields = (response: TestResponse) =>
      expectError(response, 422, 'idempotency_key_reused').map(({ field }) => field);
    expect(
      getDifferingFields(await tenant.client.post('/customers', { company_name: 'Two' }, withKey(key))),
    ).to.deep.equal(['body']);
    // An unknown member makes the body differ too.
    expect(
      getDifferingFields(await tenant.client.post('/customers', { company_name: 'One', x: 1 }, withKey(key))),
    ).to.deep.equal(['body']);
    const otherMethod = await tenant.client.patch(
      `/customers/${first.body.id}`,
      { company_name: 'One' },
      withKey(key),
    );
    expect(getDifferingFields(otherMethod)).to.deep.equal(['method', 'path']);
    const otherRoute = await tenant.client.post('/work-orders', { service_type: 'tow' }, withKey(key));
    expect(getDifferingFields(otherRoute)).to.deep.equal(['path', 'body']);
    expectReplay(await tenant.client.post('/customers', { company_name: 'One' }, withKey(key)), first);
  });

  it('an Idempotency-Key that is not a UUID is 400 on every write and stores nothing', async () => {
    const before = await countRows('customers');
    for (const key of [
      '',
      'x',
      '1',
      `${randomUUID()}0`,
      randomUUID().replaceAll('-', ''),
      `{${randomUUID()}}`,
    ]) {
      const response = await tenant.client.post('/customers', { company_name: 'C' }, withKey(key));
      const details = expectError(response, 400, 'invalid_idempotency_key');
      expect(details.map(({ field }) => field)).to.deep.equal(['Idempotency-Key']);
    }
    const patched = await tenant.client.patch(`/customers/${randomUUID()}`, {}, withKey('x'));
    expectError(patched, 400, 'invalid_idempotency_key');
    expect(await countRows('customers')).to.equal(before);
  });

  it('reads ignore an Idempotency-Key, UUID or not', async () => {
    for (const key of ['x', randomUUID(), '']) {
      const response = await tenant.client.get('/invoices?limit=1', withKey(key));
      expect(response.status, response.text).to.equal(200);
      expect(response.headers).to.not.have.property('x-idempotency-replay');
    }
  });

  it('a 400, 404 or 409 does not use up its Idempotency-Key: the client can fix the request and resend it', async () => {
    const taken = (await tenant.client.post('/invoices', invoiceInput())).body.invoice_number;
    const key = randomUUID();
    const send = (body: object) => tenant.client.post('/invoices', body, withKey(key));
    expectError(await send({}), 400, 'validation_error');
    expectError(await send(invoiceInput({ customer_id: randomUUID() })), 400, 'validation_error');
    expectError(await send({ invoice_number: taken }), 409, 'duplicate_invoice_number');
    expectError(await tenant.client.patch(`/invoices/${randomUUID()}`, {}, withKey(key)), 404, 'not_found');
    const fixed = await send(invoiceInput());
    expect(fixed.status, fixed.text).to.equal(201);
    expect(fixed.headers).to.not.have.property('x-idempotency-replay');
  });

  it('another tenant and the sandbox can use the same Idempotency-Key for another request', async () => {
    const [key, other] = [randomUUID(), await stack.createTenant('Other')];
    const responses: TestResponse[] = [];
    for (const [index, client] of [tenant.client, tenant.sandbox, other.client].entries()) {
      responses.push(await client.post('/customers', { company_name: `Tenant ${index}` }, withKey(key)));
    }
    expect(responses.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).to.equal(3);
  });

  it('a stored response is refused to a key without permission for the write', async () => {
    const [key, body] = [randomUUID(), invoiceInput()];
    await tenant.client.post('/invoices', body, withKey(key));
    const reader = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read'] }));
    expectError(await reader.post('/invoices', body, withKey(key)), 403, 'insufficient_scope');
  });

  it('a dry run neither reads nor stores its Idempotency-Key', async () => {
    const dryRun = { 'x-service-dry-run': 'true' };
    const key = randomUUID();
    const first = await tenant.client.post('/customers', { company_name: 'Dry' }, withKey(key, dryRun));
    expect(first.body.dry_run, first.text).to.equal(true);
    const real = await tenant.client.post('/customers', { company_name: 'Wet' }, withKey(key));
    expect(real.status, real.text).to.equal(201);
    expect(real.headers).to.not.have.property('x-idempotency-replay');
    const again = await tenant.client.post('/customers', { company_name: 'Dry' }, withKey(key, dryRun));
    expect(again.status, again.text).to.equal(200);
    expect(again.headers).to.not.have.property('x-idempotency-replay');
    expect(again.body.data.id).to.not.equal(real.body.id);
  });

  it('an Idempotency-Key is kept for 24 hours and can then be used for another body', async () => {
    const key = randomUUID();
    const send = (company_name: string) => tenant.client.post('/customers', { company_name }, withKey(key));
    const backdate = (hours: string) =>
      stack.rows(
        tenant.id,
        `update idempotency_keys set created_at = now() - interval '${hours}' where tenant_id = $1 and key = $2`,
        [tenant.id, key],
      );
    const first = await send('Day one');
    await backdate('23 hours 59 minutes');
    expectReplay(await send('Day one'), first);
    await backdate('24 hours 1 minute');
    const next = await send('Day two');
    expect(next.status, next.text).to.equal(201);
    expect(next.body.company_name).to.equal('Day two');
    expect(next.headers).to.not.have.property('x-idempotency-replay');
    expectReplay(await send('Day two'), next);
  });

  it('POST /api-keys repeated with an Idempotency-Key gets the same working key, stored without its secret', async () => {
    const key = randomUUID();
    const first = await tenant.client.post('/api-keys', { name: 'replayed' }, withKey(key));
    expect(first.status, first.text).to.equal(201);
    expectReplay(await tenant.client.post('/api-keys', { name: 'replayed' }, withKey(key)), first);
    expect((await stack.createClient(first.body.key).get('/me')).body.key.id).to.equal(first.body.id);
    const [storedRecord] = await stack.rows<{ body: string }>(
      tenant.id,
      'select body from idempotency_keys where key = $1',
      [key],
    );
    expect(storedRecord?.body).to.include(first.body.id).and.not.include(first.body.key);
  });

  describe('concurrent requests', () => {
    it('50 concurrent requests with one Idempotency-Key create one row: each gets the same 201, or 409 with Retry-After', async () => {
      const second = await startApi(stack.runtime);
      const clients = [stack.origin, `http://127.0.0.1:${second.port}`].map(
        (origin) => new TestClient(origin, tenant.client.key),
      );
      const [key, body, before] = [
        randomUUID(),
        { service_type: 'tow', notes: 'fifty' },
        await countRows('work_orders'),
      ];
      const sends = Array.from({ length: 50 }, (_, n) =>
        (clients[n % 2] as TestClient).post('/work-orders', body, withKey(key)),
      );
      const responses = await Promise.all(sends);
      const created = responses.filter(({ status }) => status === 201);
      expect(created).to.not.have.length(0);
      expect(new Set(created.map(({ text }) => text)).size).to.equal(1);
      expect(created.filter(({ headers }) => !headers['x-idempotency-replay'])).to.have.length(1);
      for (const response of responses) {
        if (response.status === 201) continue;
        expectError(response, 409, 'idempotency_in_progress');
        expect(response.headers['retry-after']).to.equal('1');
      }
      expect(await countRows('work_orders')).to.equal(before + 1);
    });

    it('a request is 409 while another with its Idempotency-Key is in progress, but not for another tenant', async () => {
      const queue = openWritesQueue(stack.runtime);
      const [one, two] = [await stack.createTenant('One'), await stack.createTenant('Two')];
      await queue.pause();
      try {
        const [key, body] = [randomUUID(), { company_name: 'C' }];
        const pair = [one, one].map(({ client }) => client.post('/customers', body, withKey(key)));
        const otherTenantRequest = two.client.post('/customers', body, withKey(key));
        // The worker is paused, so the first response can only be the refusal of one of the two
        // equal requests.
        const refused = await Promise.race([...pair, otherTenantRequest]);
        expectError(refused, 409, 'idempotency_in_progress');
        expect(refused.headers['retry-after']).to.equal('1');
        await queue.resume();
        const statuses = (await Promise.all(pair)).map(({ status }) => status).sort();
        expect(statuses).to.deep.equal([201, 409]);
        expect((await otherTenantRequest).status).to.equal(201);
      } finally {
        await queue.resume();
      }
    });
  });
});
