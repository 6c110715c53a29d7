import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import {
  createUser,
  readCookie,
  requestSession,
  signIn,
  TEST_PASSWORD,
  type TestUser,
} from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { HTTPS_STACK, useStack } from '../../support/use-stack.js';

describe('signing in', () => {
  const stack = useStack();
  let tenant: TestTenant;
  let user: TestUser;

  before(async () => {
    tenant = await stack.createTenant('Hudson Towing');
    user = await createUser(stack, tenant.id, { name: 'Dana', email: 'Dana@example.com' });
  });

  const trySession = (body: unknown, headers: Record<string, string> = {}): Promise<TestResponse> =>
    requestSession(stack.origin, body, headers);
  const readSetCookies = (response: TestResponse) => [response.headers['set-cookie'] ?? []].flat();

  it('POST /session returns the session and sets an HttpOnly cookie with SameSite=Lax', async () => {
    const response = await trySession({ email: 'dana@EXAMPLE.com', password: TEST_PASSWORD });
    expect(response.status, response.text).to.equal(200);
    expect(response.body).to.deep.include({
      user: { id: user.id, name: 'Dana', email: 'Dana@example.com', role: 'owner' },
      tenant: { id: tenant.id, name: 'Hudson Towing' },
      environment: 'live',
      ended_at: null,
    });
    const [cookie = '', ...more] = readSetCookies(response);
    expect(more).to.deep.equal([]);
    const [pair = '', ...flags] = cookie.split('; ');
    expect(pair).to.match(/^tow_session=tk_session_[0-9A-Za-z]{49}$/);
    const expires = new Date(response.body.expires_at).toUTCString();
    expect(flags).to.have.members(['Path=/', 'HttpOnly', 'SameSite=Lax', `Expires=${expires}`]);
    expect(response.text).to.not.include(pair.split('=')[1]);
  });

  it('a session cookie has the rights of an API key with every permission', async () => {
    const person = await signIn(stack, user);
    const made = await person.post('/customers', { company_name: 'Club' });
    expect(made.status, made.text).to.equal(201);
    expect((await tenant.client.get(`/customers/${made.body.id}`)).text).to.equal(made.text);
    const me = await person.get('/me');
    expect(me.body.tenant).to.include({ id: tenant.id, environment: 'live' });
    expect(me.body.key).to.deep.include({
      id: user.id,
      name: 'Dana',
      kind: 'user',
      permissions: ['read', 'write', 'approve', 'admin'],
    });
    expect((await person.get('/session')).body).to.deep.include({ environment: 'live', ended_at: null });
  });

  it("the audit log records a session's write with the person's name and the source dashboard", async () => {
    const person = await signIn(stack, user);
    const { id } = (await person.post('/customers', { company_name: 'Audited' })).body;
    const [entry] = await stack.rows(
      tenant.id,
      'select actor_type, actor_id, actor_name, source from audit_entries where tenant_id = $1 and entity_id = $2',
      [tenant.id, id],
    );
    expect(entry).to.deep.equal({
      actor_type: 'user',
      actor_id: user.id,
      actor_name: 'Dana',
      source: 'dashboard',
    });
  });

  it('POST /session returns the same 401 for an unknown e-mail, a wrong password and another account', async () => {
    const other = await stack.createTenant('Other');
    const refusals = [
      { email: 'nobody@example.com', password: TEST_PASSWORD },
      { email: user.email, password: `${TEST_PASSWORD} ` },
      { email: user.email, password: TEST_PASSWORD.toUpperCase() },
      { email: user.email, password: TEST_PASSWORD, tenant_id: other.id },
      { email: user.email, password: TEST_PASSWORD, tenant_id: tenant.sandboxId },
    ];
    const messages = new Set<string>();
    for (const body of refusals) {
      const response = await trySession(body);
      expect(expectError(response, 401, 'unauthorized')).to.deep.equal([]);
      expect(readSetCookies(response)).to.deep.equal([]);
      messages.add(response.body.error.message);
    }
    expect([...messages]).to.have.length(1);
  });

  it('POST /session names every validation error of its body', async () => {
    expect(listValidationErrors(await trySession({}))).to.deep.equal(['email required', 'password required']);
    expect(
      listValidationErrors(await trySession({ email: 'x', password: 'y'.repeat(201), tenant_id: 'z' })),
    ).to.deep.equal(['email email', 'password max', 'tenant_id guid']);
    const form = { raw: 'email=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expectError(await tenant.client.post('/session', undefined, form), 415, 'unsupported_media_type');
  });

  it('POST /session needs no credential and ignores a wrong one', async () => {
    const body = { email: user.email, password: TEST_PASSWORD };
    const response = await trySession(body, { authorization: 'Bearer nonsense', cookie: 'tow_session=old' });
    expect(response.status, response.text).to.equal(200);
  });

  it('POST /session from a page of another site is refused', async () => {
    const body = { email: user.email, password: TEST_PASSWORD };
    expectError(await trySession(body, { origin: 'https://evil.example' }), 403, 'forbidden');
    expectError(await trySession(body, { origin: 'null' }), 403, 'forbidden');
    expect((await trySession(body, { origin: stack.origin })).status).to.equal(200);
  });

  it('sessions and audit entries do not contain the session token', async () => {
    const response = await trySession({ email: user.email, password: TEST_PASSWORD });
    const [, token = ''] = readCookie(response).split('=');
    const rows = await stack.rows(
      tenant.id,
      `select row_to_json(s)::text as text from sessions s union all select row_to_json(a)::text from audit_entries a`,
    );
    for (const { text } of rows) expect(text).to.not.include(token.slice('tk_session_'.length, -10));
  });

  describe('signing in with the same e-mail in two accounts', () => {
    let sharedEmailUsers: [TestUser, TestUser];
    before(async () => {
      const [a, b] = [await stack.createTenant('A'), await stack.createTenant('B')];
      sharedEmailUsers = [
        await createUser(stack, a.id, { email: 'both@example.com', password: 'the password of a' }),
        await createUser(stack, b.id, { email: 'BOTH@example.com', password: 'the password of b' }),
      ];
    });

    it('the password selects the account of an e-mail that two accounts share', async () => {
      for (const { password, tenantId } of sharedEmailUsers) {
        const response = await trySession({ email: 'both@example.com', password });
        expect(response.body.tenant.id, response.text).to.equal(tenantId);
      }
    });

    it('tenant_id selects the account of a shared e-mail and refuses the password of the other account', async () => {
      const [a, b] = sharedEmailUsers;
      const email = 'both@example.com';
      const own = await trySession({ email, password: b.password, tenant_id: b.tenantId });
      expect(own.body.user.id, own.text).to.equal(b.id);
      const foreign = await trySession({ email, password: b.password, tenant_id: a.tenantId });
      expectError(foreign, 401, 'unauthorized');
    });
  });
});

describe('signing in behind TLS', () => {
  const stack = useStack(HTTPS_STACK);

  it('POST /session with an https BASE_URL sets a Secure cookie and accepts BASE_URL as its own origin', async () => {
    const tenant = await stack.createTenant();
    const user = await createUser(stack, tenant.id);
    const body = { email: user.email, password: user.password };
    const response = await requestSession(stack.origin, body, { origin: 'https://tow.example.com' });
    expect(response.status, response.text).to.equal(200);
    expect(response.headers['set-cookie']).to.match(/; Secure$/);
    const foreign = await requestSession(stack.origin, body, { origin: 'http://tow.example.com' });
    expectError(foreign, 403, 'forbidden');
  });
});
