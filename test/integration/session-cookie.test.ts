import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { startApi } from '../../api/start-api.js';
import { purgeExpired } from '../../shared/resources/operations/store.js';
import { mintSessionToken } from '../../shared/resources/sessions/token.js';
import { type Answer, TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceAfter, jobAfter } from '../support/lifecycle-records.js';
import { eventually } from '../support/poll.js';
import { sideBySide } from '../support/side-by-side.js';
import { createUser, personWith, signIn, type TestUser } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('the cookie of a session', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let user: TestUser;
  let person: TestClient;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Hudson Towing');
    user = await createUser(stack, tenant.id);
    person = await signIn(stack, user);
  });
  after(() => stack.stop());

  const body = { company_name: 'C' };
  const cookie = () => person.always.cookie as string;
  const post = (headers: Record<string, string>): Promise<Answer> =>
    new TestClient(stack.origin, '', '/v1', { cookie: cookie() }).post('/customers', body, { headers });
  const expectSignedOut = (answer: Answer) =>
    expect(expectError(answer, 401, 'unauthorized')).to.deep.equal([]);

  describe('in a write', () => {
    it('is refused without X-Requested-With, whatever the method, and stores nothing', async () => {
      const before = (await person.get('/customers')).body.data.count;
      const bare = new TestClient(stack.origin, '', '/v1', { cookie: cookie() });
      expectError(await bare.post('/customers', body), 403, 'forbidden');
      expectError(await bare.patch('/settings', {}), 403, 'forbidden');
      expectError(await bare.delete('/session'), 403, 'forbidden');
      expectError(
        await bare.post('/customers', body, { headers: { 'x-requested-with': '' } }),
        403,
        'forbidden',
      );
      expect((await bare.get('/customers')).body.data.count, 'and a read needs none').to.equal(before);
    });

    it('is refused from a page of no site at all, which an empty Host must not match', async () => {
      const text = JSON.stringify(body);
      const head = [
        'POST /v1/customers HTTP/1.1',
        'Host:',
        'Origin: file://',
        'X-Requested-With: page',
        `Cookie: ${cookie()}`,
        'Content-Type: application/json',
        `Content-Length: ${text.length}`,
        'Connection: close',
      ];
      const { hostname, port } = new URL(stack.origin);
      const socket = connect(Number(port), hostname);
      socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      const status = Number(answer.toString().slice(9, 12));
      expect(status).to.equal(403);
    });

    it('is refused from a page of another site, taken from its own', async () => {
      const own = { 'x-requested-with': 'page' };
      const { host } = new URL(stack.origin);
      for (const origin of [
        'https://evil.example',
        'null',
        `http://${host}.evil.example`,
        `http://evil.example/${host}`,
        `http://${host.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))}`,
      ]) {
        expectError(await post({ ...own, origin }), 403, 'forbidden');
      }
      expect((await post({ ...own, origin: stack.origin })).status).to.equal(201);
      expect((await post(own)).status).to.equal(201);
    });

    it('a key needs neither header', async () => {
      const headers = { origin: 'https://evil.example' };
      expect((await tenant.client.post('/customers', body, { headers })).status).to.equal(201);
    });
  });

  it('keeps its answers out of every cache', async () => {
    expect((await person.get('/customers')).headers['cache-control']).to.equal('no-store');
    expect((await person.get('/session')).headers['cache-control']).to.equal('no-store');
  });

  it('gives way to a key: who sends both is the key, and a wrong key is not mended by a cookie', async () => {
    const both = await tenant.client.get('/me', { headers: { cookie: cookie() } });
    expect(both.body.key.kind).to.equal('api');
    const headers = { cookie: cookie(), authorization: 'Bearer tk_live_wrong' };
    expectSignedOut(await person.get('/me', { headers }));
  });

  it('is refused when it was never given out, and no token is a key', async () => {
    const tokens = ['', 'x', mintSessionToken(), `${cookie().split('=')[1]}`.slice(0, -1), "' or 1=1"];
    for (const token of tokens) {
      expectSignedOut(await personWith(stack.origin, `tow_session=${token}`).get('/me'));
    }
    expectSignedOut(await stack.clientWith(cookie().split('=')[1] as string).get('/me'));
  });

  it('acts on the sandbox when X-Environment says so, as the same person', async () => {
    const sandboxed = await signIn(stack, user, 'sandbox');
    const me = (await sandboxed.get('/me')).body;
    expect(me.tenant).to.include({ id: tenant.sandboxId, environment: 'sandbox' });
    expect(me).to.deep.include({ tier: 'starter' });
    expect(me.key.id).to.equal(user.id);
    expect((await sandboxed.get('/session')).body).to.deep.include({
      tenant: { id: tenant.sandboxId, name: 'Hudson Towing' },
      environment: 'sandbox',
    });
    const { id } = (await sandboxed.post('/customers', body)).body;
    expect((await tenant.sandbox.get(`/customers/${id}`)).status).to.equal(200);
    expectError(await person.get(`/customers/${id}`), 404, 'not_found');
    const [entry] = await stack.rows(
      tenant.sandboxId,
      'select actor_type, actor_id from audit_entries where tenant_id = $1 and entity_id = $2',
      [tenant.sandboxId, id],
    );
    expect(entry).to.deep.equal({ actor_type: 'user', actor_id: user.id });
    const live = await sandboxed.get('/me', { headers: { 'x-environment': 'live' } });
    expect(live.body.tenant.id).to.equal(tenant.id);
    for (const value of ['Sandbox', 'test', '', 'live, sandbox']) {
      const refused = await sandboxed.get('/me', { headers: { 'x-environment': value } });
      expect(expectError(refused, 400, 'validation_error')).to.have.nested.property(
        '[0].field',
        'X-Environment',
      );
    }
  });

  it('shows nothing of another account', async () => {
    const other = await stack.createTenant('Other');
    const { id } = (await other.client.post('/customers', body)).body;
    expectError(await person.get(`/customers/${id}`), 404, 'not_found');
    expectError(await person.patch(`/customers/${id}`, { city: 'x' }), 404, 'not_found');
    const headers = { 'x-tenant-id': other.id };
    expect((await person.get(`/me?tenant_id=${other.id}`, { headers })).body.tenant.id).to.equal(tenant.id);
  });

  it('is of people: a key has no session to show or end', async () => {
    expectError(await tenant.client.get('/session'), 403, 'forbidden');
    expectError(await tenant.client.delete('/session'), 403, 'forbidden');
  });

  describe('ends', () => {
    it('at once in every api process when its person signs out, and for this session alone', async () => {
      const { port } = await startApi(stack.runtime);
      const [leaving, staying] = [await signIn(stack, user), await signIn(stack, user)];
      const elsewhere = personWith(`http://127.0.0.1:${port}`, leaving.always.cookie as string);
      for (const client of [leaving, elsewhere]) expect((await client.get('/me')).status).to.equal(200);
      const rehearsed = await leaving.delete('/session', { headers: { 'x-service-dry-run': 'true' } });
      expect(rehearsed.headers['set-cookie']).to.equal(undefined);
      const out = await leaving.delete('/session', { headers: { 'x-environment': 'sandbox' } });
      expect(out.status, out.text).to.equal(200);
      expect(out.body.ended_at).to.be.a('string');
      expect(out.headers['set-cookie']).to.match(/^tow_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
      for (const client of [leaving, elsewhere]) {
        await eventually(
          '401 after the broadcast',
          async () => (await client.get('/me')).status === 401,
          2000,
        );
      }
      expect((await staying.get('/me')).status).to.equal(200);
    });

    describe('within seconds when', () => {
      const past = "now() - interval '1 second'";
      const endedBy = (change: string) => async () => {
        const { id } = await stack.createTenant();
        const client = await signIn(stack, { tenantId: id });
        expect((await client.get('/me')).status).to.equal(200);
        await stack.rows(id, `${change} where tenant_id = $1`, [id]);
        await eventually('401', async () => (await client.get('/me')).status === 401, 6000);
      };
      const reasons = {
        'its last hour has come': endedBy(`update sessions set expires_at = ${past}`),
        'nobody used it for too long': endedBy(`update sessions set idle_expires_at = ${past}`),
        'its row says so, though no broadcast came': endedBy('update sessions set ended_at = now()'),
        'its person is no longer there': endedBy('update users set deactivated_at = now()'),
      };
      sideBySide(reasons, { atOnce: 4, timeoutMs: 60_000 });
    });

    it('later while it is used, but never after its last hour', async () => {
      const { id } = await stack.createTenant();
      const client = await signIn(stack, { tenantId: id });
      const ends = async () => {
        const [row] = await stack.rows<{ idle: number; last: number }>(
          id,
          `select extract(epoch from idle_expires_at - now())::int as idle, extract(epoch from expires_at - now())::int as last
           from sessions where tenant_id = $1`,
          [id],
        );
        return row as { idle: number; last: number };
      };
      await stack.rows(
        id,
        "update sessions set idle_expires_at = now() + interval '1 hour', expires_at = now() + interval '2 hours' where tenant_id = $1",
        [id],
      );
      expect((await client.get('/me')).status).to.equal(200);
      await eventually('the idle end moves', async () => (await ends()).idle > 3700);
      const { idle, last } = await ends();
      expect(idle).to.equal(last);
    });

    it('and is forgotten a day after', async () => {
      const { id } = await stack.createTenant();
      await signIn(stack, { tenantId: id });
      await signIn(stack, { tenantId: id });
      const count = async () => {
        await stack.runtime.db.transaction([id], (tx) => purgeExpired(tx, 100));
        return (await stack.rows(id, 'select from sessions where tenant_id = $1', [id])).length;
      };
      const one = 'select id from sessions where tenant_id = $1 limit 1';
      await stack.rows(
        id,
        `update sessions set ended_at = now() - interval '26 hours' where tenant_id = $1 and id = (${one})`,
        [id],
      );
      expect(await count()).to.equal(1);
      await stack.rows(
        id,
        "update sessions set idle_expires_at = now() - interval '24 hours' where tenant_id = $1",
        [id],
      );
      expect(await count(), 'its answer may still be asked for').to.equal(1);
      await stack.rows(
        id,
        "update sessions set idle_expires_at = now() - interval '26 hours' where tenant_id = $1",
        [id],
      );
      expect(await count()).to.equal(0);
    });
  });

  describe('does what no key may', () => {
    it('reopens a job', async () => {
      const id = await jobAfter(tenant.client, ['assign', 'start', 'complete']);
      expectError(await tenant.client.post(`/work-orders/${id}/reopen`), 409, 'invalid_status_transition');
      const reopened = await person.post(`/work-orders/${id}/reopen`);
      expect(reopened.status, reopened.text).to.equal(200);
      expect(reopened.body.status).to.equal('pending');
    });

    it('approves an invoice that an agent made', async () => {
      const scopes = ['write_invoices_draft'];
      const agent = stack.clientWith(await stack.createKey(tenant.id, { kind: 'agent', scopes }));
      const id = await invoiceAfter(agent, []);
      expectError(await tenant.client.post(`/invoices/${id}/approve`), 409, 'invalid_status_transition');
      expectError(
        await tenant.client.patch(`/invoices/${id}`, { status: 'approved' }),
        409,
        'invalid_status_transition',
      );
      const seen = await person.get(`/invoices/${id}`);
      const headers = { 'If-Match': seen.headers.etag as string };
      const approved = await person.post(`/invoices/${id}/approve`, undefined, { headers });
      expect(approved.status, approved.text).to.equal(200);
      expect(approved.body.status).to.equal('approved');
    });
  });

  it('opens the stream of events, which ends when its person signs out', async () => {
    const client = await signIn(stack, user);
    const controller = new AbortController();
    const answer = await fetch(`${stack.origin}/v1/stream`, {
      headers: { cookie: client.always.cookie as string },
      signal: controller.signal,
    });
    expect(answer.status).to.equal(200);
    expect((await client.delete('/session')).status).to.equal(200);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const ended = eventually('the end of the stream', async () => (await reader.read()).done, 60_000);
    await ended.finally(() => controller.abort());
  });
});
