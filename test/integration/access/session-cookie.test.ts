import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { startApi } from '../../../api/start-api.js';
import { purgeExpired } from '../../../shared/operations/store.js';
import { mintSessionToken } from '../../../shared/resources/sessions/token.js';
import { TestClient, type TestResponse } from '../../support/client.js';
import { registerConcurrentTests } from '../../support/concurrent-tests.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { createInvoiceAfter, createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import { createSessionClient, createUser, signIn, type TestUser } from '../../support/records/sign-in.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('the session cookie', () => {
  const stack = useStack({ clock: true });
  const tenant = useTenant(stack, 'Hudson Towing');
  let user: TestUser;
  let person: TestClient;

  before(async () => {
    user = await createUser(stack, tenant.id);
    person = await signIn(stack, user);
  });

  const body = { company_name: 'C' };
  const cookie = () => person.defaultHeaders.cookie as string;
  const post = (headers: Record<string, string>): Promise<TestResponse> =>
    new TestClient(stack.origin, '', '/v1', { cookie: cookie() }).post('/customers', body, { headers });
  const expectSignedOut = (response: TestResponse) =>
    expect(expectError(response, 401, 'unauthorized')).to.deep.equal([]);

  describe('writes with a session cookie', () => {
    it('a write with a session cookie is refused without X-Requested-With and stores nothing, whatever the method', async () => {
      const before = (await person.get('/customers')).body.data.count;
      const cookieClient = new TestClient(stack.origin, '', '/v1', { cookie: cookie() });
      expectError(await cookieClient.post('/customers', body), 403, 'forbidden');
      expectError(await cookieClient.patch('/settings', {}), 403, 'forbidden');
      expectError(await cookieClient.delete('/session'), 403, 'forbidden');
      expectError(
        await cookieClient.post('/customers', body, { headers: { 'x-requested-with': '' } }),
        403,
        'forbidden',
      );
      expect((await cookieClient.get('/customers')).body.data.count, 'a read needs no header').to.equal(
        before,
      );
    });

    it('a write with a session cookie is refused from a file:// page, although Host is empty', async () => {
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
      const [response] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      const status = Number(response.toString().slice(9, 12));
      expect(status).to.equal(403);
    });

    it('a write with a session cookie is refused from a page of another site and accepted from its own', async () => {
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

    it('a write with an API key needs no X-Requested-With and may have any Origin', async () => {
      const headers = { origin: 'https://evil.example' };
      expect((await tenant.client.post('/customers', body, { headers })).status).to.equal(201);
    });
  });

  it('responses to a session cookie have Cache-Control: no-store', async () => {
    expect((await person.get('/customers')).headers['cache-control']).to.equal('no-store');
    expect((await person.get('/session')).headers['cache-control']).to.equal('no-store');
  });

  it('a request with both an API key and a session cookie uses the key, even if the key is wrong', async () => {
    const both = await tenant.client.get('/me', { headers: { cookie: cookie() } });
    expect(both.body.key.kind).to.equal('api');
    const headers = { cookie: cookie(), authorization: 'Bearer tk_live_wrong' };
    expectSignedOut(await person.get('/me', { headers }));
  });

  it('an unknown session token is refused, and a valid one is not accepted as an API key', async () => {
    const tokens = ['', 'x', mintSessionToken(), `${cookie().split('=')[1]}`.slice(0, -1), "' or 1=1"];
    for (const token of tokens) {
      expectSignedOut(await createSessionClient(stack.origin, `tow_session=${token}`).get('/me'));
    }
    expectSignedOut(await stack.createClient(cookie().split('=')[1] as string).get('/me'));
  });

  it('a session with X-Environment: sandbox acts on the sandbox as the same person', async () => {
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

  it('a session cookie gives no access to another account', async () => {
    const other = await stack.createTenant('Other');
    const { id } = (await other.client.post('/customers', body)).body;
    expectError(await person.get(`/customers/${id}`), 404, 'not_found');
    expectError(await person.patch(`/customers/${id}`, { city: 'x' }), 404, 'not_found');
    const headers = { 'x-tenant-id': other.id };
    expect((await person.get(`/me?tenant_id=${other.id}`, { headers })).body.tenant.id).to.equal(tenant.id);
  });

  it('GET and DELETE /session refuse an API key', async () => {
    expectError(await tenant.client.get('/session'), 403, 'forbidden');
    expectError(await tenant.client.delete('/session'), 403, 'forbidden');
  });

  describe('the end of a session', () => {
    it('signing out ends this session in every api process, and no other session of the person', async () => {
      const { port } = await startApi(stack.runtime);
      const [endingSession, otherSession] = [await signIn(stack, user), await signIn(stack, user)];
      const otherProcess = createSessionClient(
        `http://127.0.0.1:${port}`,
        endingSession.defaultHeaders.cookie as string,
      );
      for (const client of [endingSession, otherProcess])
        expect((await client.get('/me')).status).to.equal(200);
      const dryRun = await endingSession.delete('/session', { headers: { 'x-service-dry-run': 'true' } });
      expect(dryRun.headers['set-cookie']).to.equal(undefined);
      const signedOut = await endingSession.delete('/session', { headers: { 'x-environment': 'sandbox' } });
      expect(signedOut.status, signedOut.text).to.equal(200);
      expect(signedOut.body.ended_at).to.be.a('string');
      expect(signedOut.headers['set-cookie']).to.match(/^tow_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
      for (const client of [endingSession, otherProcess]) {
        await eventually(
          '401 after the broadcast',
          async () => (await client.get('/me')).status === 401,
          2000,
        );
      }
      expect((await otherSession.get('/me')).status).to.equal(200);
    });

    describe('reasons that end a session within seconds', () => {
      const past = "now() - interval '1 second'";
      const expectEndAfter = (change: string) => async () => {
        const { id } = await stack.createTenant();
        const client = await signIn(stack, { tenantId: id });
        expect((await client.get('/me')).status).to.equal(200);
        await stack.rows(id, `${change} where tenant_id = $1`, [id]);
        await eventually('401', async () => (await client.get('/me')).status === 401, 6000);
      };
      const reasons = {
        'a session ends within seconds when it expires': expectEndAfter(
          `update sessions set expires_at = ${past}`,
        ),
        'a session ends within seconds when it was idle for too long': expectEndAfter(
          `update sessions set idle_expires_at = ${past}`,
        ),
        'a session ends within seconds when its row is ended without a broadcast': expectEndAfter(
          'update sessions set ended_at = now()',
        ),
        'a session ends within seconds when its person is deactivated': expectEndAfter(
          'update users set deactivated_at = now()',
        ),
      };
      registerConcurrentTests(reasons, { maxConcurrent: 4, timeoutMs: 60_000 });
    });

    it('using a session extends its idle time, but never beyond its expiry', async () => {
      const { id } = await stack.createTenant();
      const client = await signIn(stack, { tenantId: id });
      const readSecondsLeft = async () => {
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
      await eventually('the idle end moves', async () => (await readSecondsLeft()).idle > 3700);
      const { idle, last } = await readSecondsLeft();
      expect(idle).to.equal(last);
    });

    it('an ended session is deleted after a day', async () => {
      const { id } = await stack.createTenant();
      await signIn(stack, { tenantId: id });
      await signIn(stack, { tenantId: id });
      const countAfterPurge = async () => {
        await stack.runtime.db.transaction([id], (tx) => purgeExpired(tx, 100));
        return (await stack.rows(id, 'select from sessions where tenant_id = $1', [id])).length;
      };
      const one = 'select id from sessions where tenant_id = $1 limit 1';
      await stack.rows(
        id,
        `update sessions set ended_at = now() - interval '26 hours' where tenant_id = $1 and id = (${one})`,
        [id],
      );
      expect(await countAfterPurge()).to.equal(1);
      await stack.rows(
        id,
        "update sessions set idle_expires_at = now() - interval '24 hours' where tenant_id = $1",
        [id],
      );
      expect(await countAfterPurge(), 'a client may still request its stored response').to.equal(1);
      await stack.rows(
        id,
        "update sessions set idle_expires_at = now() - interval '26 hours' where tenant_id = $1",
        [id],
      );
      expect(await countAfterPurge()).to.equal(0);
    });
  });

  describe('actions that need a session', () => {
    it('a person can reopen a work order and an API key cannot', async () => {
      const id = await createWorkOrderAfter(tenant.client, ['assign', 'start', 'complete']);
      expectError(await tenant.client.post(`/work-orders/${id}/reopen`), 409, 'invalid_status_transition');
      const reopened = await person.post(`/work-orders/${id}/reopen`);
      expect(reopened.status, reopened.text).to.equal(200);
      expect(reopened.body.status).to.equal('pending');
    });

    it('a person can approve an invoice that an agent created and an API key cannot', async () => {
      const scopes = ['write_invoices_draft'];
      const agent = stack.createClient(await stack.createKey(tenant.id, { kind: 'agent', scopes }));
      const id = await createInvoiceAfter(agent, []);
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

  it('GET /stream works with a session cookie and ends when the person signs out', async () => {
    const client = await signIn(stack, user);
    const controller = new AbortController();
    const response = await fetch(`${stack.origin}/v1/stream`, {
      headers: { cookie: client.defaultHeaders.cookie as string },
      signal: controller.signal,
    });
    expect(response.status).to.equal(200);
    expect((await client.delete('/session')).status).to.equal(200);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const ended = eventually('the end of the stream', async () => (await reader.read()).done, 60_000);
    await ended.finally(() => controller.abort());
  });
});
