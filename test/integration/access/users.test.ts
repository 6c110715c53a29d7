import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { TestClient, TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { usePasswordCost } from '../../support/password-cost.js';
import { eventually } from '../../support/poll.js';
import {
  createSessionClient,
  createUser,
  openSession,
  readCookie,
  requestSession,
  TEST_PASSWORD,
} from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

describe('users of an account', () => {
  const stack = useStack();
  let tenant: TestTenant;
  let signedIn: Promise<TestClient> | undefined;

  beforeEach(async () => {
    tenant = await stack.createTenant();
    signedIn = undefined;
  });

  const signInColleague = (): Promise<TestClient> => {
    signedIn ??= openSession(stack, { tenantId: tenant.id });
    return signedIn;
  };
  /**
   * Adds a user with the API key. If the body has a password, uses a person's session instead,
   * because only a person may set a password.
   */
  const addUser = async (
    body: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<TestResponse> => {
    const client = body.password === undefined ? tenant.client : await signInColleague();
    return client.post('/users', { name: 'Ann', email: `${newId()}@example.com`, ...body }, { headers });
  };
  const trySignInStatus = async (email: string, password: string) =>
    (await requestSession(stack.origin, { email, password })).status;

  it('POST /users adds a user, who can sign in with the given password', async () => {
    const response = await addUser({ name: ' Ann ', password: TEST_PASSWORD });
    expect(response.status, response.text).to.equal(201);
    const { id, email } = response.body;
    expect(response.headers.location).to.equal(`/v1/users/${id}`);
    expect(response.body).to.include({ name: 'Ann', deactivated_at: null });
    expect(await trySignInStatus(email, TEST_PASSWORD)).to.equal(200);
    expect((await tenant.client.get(`/users/${id}`)).body).to.deep.equal(response.body);
    expect((await tenant.client.get('/users')).body.data.items[0]).to.deep.equal(response.body);
  });

  it('a user without a password cannot sign in until one is set', async () => {
    const { id, email } = (await addUser()).body;
    expect(await trySignInStatus(email, '')).to.equal(400);
    expect(await trySignInStatus(email, 'undefined')).to.equal(401);
    const person = await signInColleague();
    expect((await person.patch(`/users/${id}`, { password: TEST_PASSWORD })).status).to.equal(200);
    expect(await trySignInStatus(email, TEST_PASSWORD)).to.equal(200);
  });

  it('only a signed-in user may set a password, because a password gives rights that no key has', async () => {
    const { id } = (await addUser()).body;
    const input = { name: 'Mallory', email: `${newId()}@example.com`, password: TEST_PASSWORD };
    for (const headers of [{}, { 'x-service-dry-run': 'true' }])
      expectError(await tenant.client.post('/users', input, { headers }), 403, 'forbidden');
    expectError(await tenant.client.patch(`/users/${id}`, { password: TEST_PASSWORD }), 403, 'forbidden');
  });

  describe('whose passwords take longer to hash', () => {
    // With this cost, a hash takes about 60 ms. A sign-in must last long enough for the password to
    // change during it.
    usePasswordCost(2 ** 14);

    it('a sign-in concurrent with a password change leaves no session of the old password', async () => {
      const user = await createUser(stack, tenant.id, { role: 'admin' });
      const bystander = await signInColleague();
      const changing = bystander.patch(`/users/${user.id}`, { password: 'another long password' });
      // The sign-ins start at different times, so that the change is recorded during one of them.
      const tries = [0, 20, 40, 60, 80, 100, 120].map(async (ms) => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        return requestSession(stack.origin, { email: user.email, password: TEST_PASSWORD });
      });
      const responses = await Promise.all(tries);
      expect((await changing).status).to.equal(200);
      for (const response of responses.filter(({ status }) => status === 200)) {
        const intruder = createSessionClient(stack.origin, readCookie(response));
        await eventually('401', async () => (await intruder.get('/me')).status === 401, 2000);
      }
    });
  });

  it('POST and PATCH of users report every validation error', async () => {
    expect(listValidationErrors(await tenant.client.post('/users', { password: 'short' }))).to.deep.equal([
      'email required',
      'name required',
      'password min',
    ]);
    const { id } = (await addUser()).body;
    const patch = { name: null, email: 'x', password: '' };
    expect(listValidationErrors(await tenant.client.patch(`/users/${id}`, patch))).to.deep.equal([
      'email email',
      'name base',
      'password empty',
    ]);
  });

  it('a user e-mail is unique in its account in any letter case, also for concurrent requests, not across accounts', async () => {
    const email = `${newId()}@example.com`;
    const responses = await Promise.all(
      [email, email.toUpperCase(), email].map((one) => addUser({ email: one })),
    );
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    const refused = responses.find(({ status }) => status === 409) as TestResponse;
    expect(expectError(refused, 409, 'conflict')).to.have.nested.property('[0].field', 'email');
    const { id } = (await addUser()).body;
    expectError(await tenant.client.patch(`/users/${id}`, { email }), 409, 'conflict');
    const other = await stack.createTenant();
    expect((await other.client.post('/users', { name: 'Ann', email })).status).to.equal(201);
  });

  it('PATCH /users/{id} changes only the sent members, and a new name ends no session', async () => {
    const user = await createUser(stack, tenant.id, { role: 'admin' });
    const person = await openSession(stack, user);
    const email = `${newId()}@example.com`;
    const changed = await person.patch(`/users/${user.id}`, { name: 'Renamed', email });
    expect(changed.body).to.include({ name: 'Renamed', email });
    await eventually('the new name', async () => (await person.get('/me')).body.key?.name === 'Renamed');
    expect(await trySignInStatus(email, TEST_PASSWORD)).to.equal(200);
    expect(await trySignInStatus(user.email, TEST_PASSWORD)).to.equal(401);
    const stale = { headers: { 'if-match': '"2026-01-01T00:00:00.000Z"' } };
    expectError(await person.patch(`/users/${user.id}`, { name: 'Late' }, stale), 412, 'precondition_failed');
  });

  it('a new password ends every session of the user and invalidates the old password', async () => {
    const user = await createUser(stack, tenant.id, { role: 'admin' });
    const sessions = [await openSession(stack, user), await openSession(stack, user, 'sandbox')];
    const bystander = await openSession(stack, { tenantId: tenant.id });
    const password = 'another long password';
    expect((await bystander.patch(`/users/${user.id}`, { password })).status).to.equal(200);
    for (const session of sessions)
      await eventually('401', async () => (await session.get('/me')).status === 401, 2000);
    expect(await trySignInStatus(user.email, TEST_PASSWORD)).to.equal(401);
    expect(await trySignInStatus(user.email, password)).to.equal(200);
    expect((await bystander.get('/me')).status).to.equal(200);
  });

  it('a removed user is signed out within 2 s and stays on record, and the e-mail can be added again', async () => {
    await createUser(stack, tenant.id, { role: 'admin' });
    const user = await createUser(stack, tenant.id, { role: 'admin' });
    const person = await openSession(stack, user);
    const removed = await tenant.client.delete(`/users/${user.id}`);
    expect(removed.status, removed.text).to.equal(200);
    expect(removed.body.deactivated_at).to.be.a('string');
    await eventually('401', async () => (await person.get('/me')).status === 401, 2000);
    expect(await trySignInStatus(user.email, TEST_PASSWORD)).to.equal(401);
    expect((await tenant.client.delete(`/users/${user.id}`)).text, 'again').to.equal(removed.text);
    expectError(await tenant.client.patch(`/users/${user.id}`, { name: 'Back' }), 409, 'conflict');
    expect((await tenant.client.get(`/users/${user.id}`)).text).to.equal(removed.text);
    const list = async (query: string) =>
      (await tenant.client.get(`/users?${query}`)).body.data.items.map((one: { id: string }) => one.id);
    expect(await list('is_active=false')).to.deep.equal([user.id]);
    expect(await list('is_active=true')).to.have.length(1);
    const readded = await addUser({ email: user.email, password: TEST_PASSWORD });
    expect(readded.status, readded.text).to.equal(201);
    expect(await trySignInStatus(user.email, TEST_PASSWORD)).to.equal(200);
  });

  it('the last user of an account cannot be removed, also when two are removed concurrently', async () => {
    const users = [
      await createUser(stack, tenant.id, { role: 'admin' }),
      await createUser(stack, tenant.id, { role: 'admin' }),
    ];
    const responses = await Promise.all(users.map(({ id }) => tenant.client.delete(`/users/${id}`)));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    const last = responses.find(({ status }) => status === 409) as TestResponse;
    expectError(last, 409, 'conflict');
    expect((await tenant.client.get('/users?is_active=true')).body.data.count).to.equal(1);
  });

  it('the last user who can sign in cannot be removed, and a user without a password does not count', async () => {
    const user = await createUser(stack, tenant.id, { role: 'admin' });
    const { id } = (await addUser()).body;
    expectError(await tenant.client.delete(`/users/${user.id}`), 409, 'conflict');
    expect((await tenant.client.delete(`/users/${id}`)).status).to.equal(200);
  });

  it('passwords appear in no response, audit entry, idempotency record or operation', async () => {
    const password = `Secret-${newId()}`;
    const key = newId();
    const email = `${newId()}@example.com`;
    const first = await addUser({ email, password }, { 'idempotency-key': key });
    const again = await addUser({ email, password }, { 'idempotency-key': key });
    expect(again.text).to.equal(first.text);
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    const other = await addUser({ email, password: `${password}!` }, { 'idempotency-key': key });
    expectError(other, 422, 'idempotency_key_reused');
    expect((await (await signInColleague()).patch(`/users/${first.body.id}`, { password })).status).to.equal(
      200,
    );
    expect(first.text).to.not.match(/password|scrypt/);
    const rows = await stack.rows<{ text: string }>(
      tenant.id,
      `select row_to_json(a)::text as text from audit_entries a union all select row_to_json(k)::text from idempotency_keys k
       union all select row_to_json(o)::text from operations o`,
    );
    expect(rows.length).to.be.above(2);
    for (const { text } of rows) expect(text).to.not.include(password).and.not.include('scrypt$');
    const body = JSON.stringify({ email, name: 'Ann', password });
    const plainHash = createHash('sha256').update(body).digest('hex');
    for (const { text } of rows) expect(text, 'a hash that can be guessed').to.not.include(plainHash);
  });

  it('users belong to the live account: sandbox keys and users signed in to the sandbox get 403', async () => {
    const user = await createUser(stack, tenant.id, { role: 'admin' });
    const inSandbox = await openSession(stack, user, 'sandbox');
    for (const client of [tenant.sandbox, inSandbox]) {
      expectError(await client.get('/users'), 403, 'forbidden');
      expectError(await client.post('/users', { name: 'x', email: 'x@example.com' }), 403, 'forbidden');
      expectError(await client.get(`/users/${user.id}`), 403, 'forbidden');
      expectError(await client.patch(`/users/${user.id}`, {}), 403, 'forbidden');
      expectError(await client.delete(`/users/${user.id}`), 403, 'forbidden');
    }
  });

  it('a dry run of POST /users stores no user', async () => {
    const preview = await addUser({ email: 'dry@example.com' }, { 'x-service-dry-run': 'true' });
    expect(preview.body.data).to.include({ email: 'dry@example.com' });
    expect((await tenant.client.get('/users')).body.data.count).to.equal(0);
    expect(await trySignInStatus('dry@example.com', TEST_PASSWORD)).to.equal(401);
  });
});
