import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApi } from '../../api/start-api.js';
import { startWritesWorker } from '../../workers/writes/index.js';
import { type Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const withKey = (key: string, headers: Record<string, string> = {}) => ({
  headers: { 'idempotency-key': key, ...headers },
});

describe('Idempotency-Key', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const countOf = async (table: string, owner = tenant.id): Promise<number> => {
    const [row] = await stack.rows<{ count: number }>(owner, `select count(*)::int as count from ${table}`);
    return row?.count ?? -1;
  };

  function expectReplay(replay: Answer, first: Answer): void {
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
    it(`makes one record of two POST ${path}: the second is the first answer again`, async () => {
      const [key, body] = [randomUUID(), input()];
      const first = await tenant.client.post(path, body, withKey(key));
      expect(first.status, first.text).to.equal(201);
      const count = await countOf(path.slice(1).replace('-', '_'));
      expectReplay(await tenant.client.post(path, body, withKey(key)), first);
      expectReplay(await tenant.client.post(path, body, withKey(key.toUpperCase())), first);
      expect(await countOf(path.slice(1).replace('-', '_'))).to.equal(count);
    });

    it(`replays PATCH ${path}/{id} as it was answered, whatever happened since`, async () => {
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

  it('is the tenant’s: it holds across its API keys and both prefixes', async () => {
    const [key, body] = [randomUUID(), invoiceInput()];
    const first = await tenant.client.post('/invoices', body, withKey(key));
    const credential = await stack.createKey(tenant.id);
    expectReplay(await stack.clientWith(credential).post('/invoices', body, withKey(key)), first);
    const long = await new TestClient(stack.origin, credential, '/api/v1').post(
      '/invoices',
      body,
      withKey(key),
    );
    expect(long.text).to.equal(first.text);
    expect(long.headers).to.include({
      location: `/api${first.headers.location}`,
      'x-idempotency-replay': 'true',
    });
  });

  it('means the body, not its spelling: blanks and the order of members do not count', async () => {
    const key = randomUUID();
    const send = (raw: string) => tenant.client.call('POST', '/work-orders', { raw, ...withKey(key) });
    const first = await send('{"service_type":"tow","vehicle":{"make":"m","year":2000}}');
    expectReplay(await send(' { "vehicle" : {"year":2e3, "make":"\\u006d"},\n"service_type":"tow"} '), first);
  });

  it('with another body, path or method is 422, names what differs, and leaves the kept answer alone', async () => {
    const key = randomUUID();
    const first = await tenant.client.post('/customers', { company_name: 'One' }, withKey(key));
    const fields = (answer: Answer) =>
      expectError(answer, 422, 'idempotency_key_reused').map(({ field }) => field);
    expect(
      fields(await tenant.client.post('/customers', { company_name: 'Two' }, withKey(key))),
    ).to.deep.equal(['body']);
    // A member that nobody knows is part of the body all the same.
    expect(
      fields(await tenant.client.post('/customers', { company_name: 'One', x: 1 }, withKey(key))),
    ).to.deep.equal(['body']);
    const elsewhere = await tenant.client.patch(
      `/customers/${first.body.id}`,
      { company_name: 'One' },
      withKey(key),
    );
    expect(fields(elsewhere)).to.deep.equal(['method', 'path']);
    const order = await tenant.client.post('/work-orders', { service_type: 'tow' }, withKey(key));
    expect(fields(order)).to.deep.equal(['path', 'body']);
    expectReplay(await tenant.client.post('/customers', { company_name: 'One' }, withKey(key)), first);
  });

  it('that is no UUID is 400 on every write, and stores nothing', async () => {
    const before = await countOf('customers');
    for (const key of [
      '',
      'x',
      '1',
      `${randomUUID()}0`,
      randomUUID().replaceAll('-', ''),
      `{${randomUUID()}}`,
    ]) {
      const answer = await tenant.client.post('/customers', { company_name: 'C' }, withKey(key));
      const details = expectError(answer, 400, 'invalid_idempotency_key');
      expect(details.map(({ field }) => field)).to.deep.equal(['Idempotency-Key']);
    }
    const patched = await tenant.client.patch(`/customers/${randomUUID()}`, {}, withKey('x'));
    expectError(patched, 400, 'invalid_idempotency_key');
    expect(await countOf('customers')).to.equal(before);
  });

  it('is ignored by reads, UUID or not', async () => {
    for (const key of ['x', randomUUID(), '']) {
      const answer = await tenant.client.get('/invoices?limit=1', withKey(key));
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.headers).to.not.have.property('x-idempotency-replay');
    }
  });

  it('is not used up by a failure: a 400, 404 or 409 can be mended under the same key', async () => {
    const taken = (await tenant.client.post('/invoices', invoiceInput())).body.invoice_number;
    const key = randomUUID();
    const send = (body: object) => tenant.client.post('/invoices', body, withKey(key));
    expectError(await send({}), 400, 'validation_error');
    expectError(await send(invoiceInput({ customer_id: randomUUID() })), 400, 'validation_error');
    expectError(await send({ invoice_number: taken }), 409, 'duplicate_invoice_number');
    expectError(await tenant.client.patch(`/invoices/${randomUUID()}`, {}, withKey(key)), 404, 'not_found');
    const mended = await send(invoiceInput());
    expect(mended.status, mended.text).to.equal(201);
    expect(mended.headers).to.not.have.property('x-idempotency-replay');
  });

  it('may be used by another tenant, and by the twin, for something else', async () => {
    const [key, other] = [randomUUID(), await stack.createTenant('Other')];
    const answers: Answer[] = [];
    for (const [index, client] of [tenant.client, tenant.sandbox, other.client].entries()) {
      answers.push(await client.post('/customers', { company_name: `Tenant ${index}` }, withKey(key)));
    }
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(3);
  });

  it('does not let in who has no right to the write', async () => {
    const [key, body] = [randomUUID(), invoiceInput()];
    await tenant.client.post('/invoices', body, withKey(key));
    const reader = stack.clientWith(await stack.createKey(tenant.id, { permissions: ['read'] }));
    expectError(await reader.post('/invoices', body, withKey(key)), 403, 'insufficient_scope');
  });

  it('is neither looked at nor stored by a dry run', async () => {
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

  it('is kept for 24 hours and then free again, for another body too', async () => {
    const key = randomUUID();
    const send = (company_name: string) => tenant.client.post('/customers', { company_name }, withKey(key));
    const age = (hours: string) =>
      stack.rows(
        tenant.id,
        `update idempotency_keys set created_at = now() - interval '${hours}' where tenant_id = $1 and key = $2`,
        [tenant.id, key],
      );
    const first = await send('Day one');
    await age('23 hours 59 minutes');
    expectReplay(await send('Day one'), first);
    await age('24 hours 1 minute');
    const next = await send('Day two');
    expect(next.status, next.text).to.equal(201);
    expect(next.body.company_name).to.equal('Day two');
    expect(next.headers).to.not.have.property('x-idempotency-replay');
    expectReplay(await send('Day two'), next);
  });

  it('shows a new API key again, and it is the one that works', async () => {
    const key = randomUUID();
    const first = await tenant.client.post('/api-keys', { name: 'replayed' }, withKey(key));
    expect(first.status, first.text).to.equal(201);
    expectReplay(await tenant.client.post('/api-keys', { name: 'replayed' }, withKey(key)), first);
    expect((await stack.clientWith(first.body.key).get('/me')).body.key.id).to.equal(first.body.id);
    const [kept] = await stack.rows<{ body: string }>(
      tenant.id,
      'select body from idempotency_keys where key = $1',
      [key],
    );
    expect(kept?.body).to.include(first.body.id).and.not.include(first.body.key);
  });

  describe('of requests at the same time', () => {
    it('makes 50 of them one row: the same 201, or 409 that says when to come back', async () => {
      const second = await startApi(stack.runtime);
      const clients = [stack.origin, `http://127.0.0.1:${second.port}`].map(
        (origin) => new TestClient(origin, tenant.client.key),
      );
      const [key, body, before] = [
        randomUUID(),
        { service_type: 'tow', notes: 'fifty' },
        await countOf('work_orders'),
      ];
      const sends = Array.from({ length: 50 }, (_, n) =>
        (clients[n % 2] as TestClient).post('/work-orders', body, withKey(key)),
      );
      const answers = await Promise.all(sends);
      const made = answers.filter(({ status }) => status === 201);
      expect(made).to.not.have.length(0);
      expect(new Set(made.map(({ text }) => text)).size).to.equal(1);
      expect(made.filter(({ headers }) => !headers['x-idempotency-replay'])).to.have.length(1);
      for (const answer of answers) {
        if (answer.status === 201) continue;
        expectError(answer, 409, 'idempotency_in_progress');
        expect(answer.headers['retry-after']).to.equal('1');
      }
      expect(await countOf('work_orders')).to.equal(before + 1);
    });

    it('is 409 while the first is under way, not for another tenant, and lets the first finish', async () => {
      const idle = await TestStack.start({ worker: false });
      try {
        const [one, two] = [await idle.createTenant('One'), await idle.createTenant('Two')];
        const [key, body] = [randomUUID(), { company_name: 'C' }];
        const pair = [one, one].map(({ client }) => client.post('/customers', body, withKey(key)));
        const foreign = two.client.post('/customers', body, withKey(key));
        // Nobody takes the job, so whichever of the pair answers now is the one that was turned away.
        const refused = await Promise.race([...pair, foreign]);
        expectError(refused, 409, 'idempotency_in_progress');
        expect(refused.headers['retry-after']).to.equal('1');
        startWritesWorker(idle.runtime);
        const statuses = (await Promise.all(pair)).map(({ status }) => status).sort();
        expect(statuses).to.deep.equal([201, 409]);
        expect((await foreign).status).to.equal(201);
      } finally {
        await idle.stop();
      }
    });
  });
});
