import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import type { Answer, TestClient } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { cookieOf, createUser, PASSWORD, personWith, signIn, trySignIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('people of an account', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let signedIn: Promise<TestClient> | undefined;

  before(async () => {
    stack = await TestStack.start();
  });
  beforeEach(async () => {
    tenant = await stack.createTenant();
    signedIn = undefined;
  });
  after(() => stack.stop());

  /** Somebody who was there before. */
  const colleague = (): Promise<TestClient> => {
    signedIn ??= signIn(stack, { tenantId: tenant.id });
    return signedIn;
  };
  /** By a key, or by a person when a password is given, which no key may set. */
  const add = async (
    body: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const client = body.password === undefined ? tenant.client : await colleague();
    return client.post('/users', { name: 'Ann', email: `${newId()}@example.com`, ...body }, { headers });
  };
  const statusOfSignIn = async (email: string, password: string) =>
    (await trySignIn(stack.origin, { email, password })).status;

  it('are added, and sign in with the password they were given', async () => {
    const answer = await add({ name: ' Ann ', password: PASSWORD });
    expect(answer.status, answer.text).to.equal(201);
    const { id, email } = answer.body;
    expect(answer.headers.location).to.equal(`/v1/users/${id}`);
    expect(answer.body).to.include({ name: 'Ann', deactivated_at: null });
    expect(await statusOfSignIn(email, PASSWORD)).to.equal(200);
    expect((await tenant.client.get(`/users/${id}`)).body).to.deep.equal(answer.body);
    expect((await tenant.client.get('/users')).body.data.items[0]).to.deep.equal(answer.body);
  });

  it('cannot sign in before they have a password', async () => {
    const { id, email } = (await add()).body;
    expect(await statusOfSignIn(email, '')).to.equal(400);
    expect(await statusOfSignIn(email, 'undefined')).to.equal(401);
    const person = await colleague();
    expect((await person.patch(`/users/${id}`, { password: PASSWORD })).status).to.equal(200);
    expect(await statusOfSignIn(email, PASSWORD)).to.equal(200);
  });

  it('get a password from a person only: whoever sets one can be that person, and decide what no key may', async () => {
    const { id } = (await add()).body;
    const input = { name: 'Mallory', email: `${newId()}@example.com`, password: PASSWORD };
    for (const headers of [{}, { 'x-service-dry-run': 'true' }])
      expectError(await tenant.client.post('/users', input, { headers }), 403, 'forbidden');
    expectError(await tenant.client.patch(`/users/${id}`, { password: PASSWORD }), 403, 'forbidden');
  });

  it('open no session with a password that was changed while it was checked', async () => {
    const user = await createUser(stack, tenant.id);
    const bystander = await colleague();
    const changing = bystander.patch(`/users/${user.id}`, { password: 'another long password' });
    // It takes half a second to make the new hash, and as long to check the old one.
    const tries = [0, 60, 120, 180].map(async (ms) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return trySignIn(stack.origin, { email: user.email, password: PASSWORD });
    });
    const answers = await Promise.all(tries);
    expect((await changing).status).to.equal(200);
    for (const answer of answers.filter(({ status }) => status === 200)) {
      const intruder = personWith(stack.origin, cookieOf(answer));
      await eventually('401', async () => (await intruder.get('/me')).status === 401, 2000);
    }
  });

  it('are told every fault of what is asked', async () => {
    expect(faultsOf(await tenant.client.post('/users', { password: 'short' }))).to.deep.equal([
      'email required',
      'name required',
      'password min',
    ]);
    const { id } = (await add()).body;
    const patch = { name: null, email: 'x', password: '' };
    expect(faultsOf(await tenant.client.patch(`/users/${id}`, patch))).to.deep.equal([
      'email email',
      'name base',
      'password empty',
    ]);
  });

  it('have each an e-mail of their own, whatever its case, also when they come at once; another account may have it too', async () => {
    const email = `${newId()}@example.com`;
    const answers = await Promise.all([email, email.toUpperCase(), email].map((one) => add({ email: one })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409]);
    const refused = answers.find(({ status }) => status === 409) as Answer;
    expect(expectError(refused, 409, 'conflict')).to.have.nested.property('[0].field', 'email');
    const { id } = (await add()).body;
    expectError(await tenant.client.patch(`/users/${id}`, { email }), 409, 'conflict');
    const other = await stack.createTenant();
    expect((await other.client.post('/users', { name: 'Ann', email })).status).to.equal(201);
  });

  it('are changed member by member; a name alone ends no session', async () => {
    const user = await createUser(stack, tenant.id);
    const person = await signIn(stack, user);
    const email = `${newId()}@example.com`;
    const changed = await person.patch(`/users/${user.id}`, { name: 'Renamed', email });
    expect(changed.body).to.include({ name: 'Renamed', email });
    await eventually('the new name', async () => (await person.get('/me')).body.key?.name === 'Renamed');
    expect(await statusOfSignIn(email, PASSWORD)).to.equal(200);
    expect(await statusOfSignIn(user.email, PASSWORD)).to.equal(401);
    const stale = { headers: { 'if-match': '"2026-01-01T00:00:00.000Z"' } };
    expectError(await person.patch(`/users/${user.id}`, { name: 'Late' }, stale), 412, 'precondition_failed');
  });

  it('lose every session with a new password, and the old one is worth nothing', async () => {
    const user = await createUser(stack, tenant.id);
    const sessions = [await signIn(stack, user), await signIn(stack, user, 'sandbox')];
    const bystander = await signIn(stack, { tenantId: tenant.id });
    const password = 'another long password';
    expect((await bystander.patch(`/users/${user.id}`, { password })).status).to.equal(200);
    for (const session of sessions)
      await eventually('401', async () => (await session.get('/me')).status === 401, 2000);
    expect(await statusOfSignIn(user.email, PASSWORD)).to.equal(401);
    expect(await statusOfSignIn(user.email, password)).to.equal(200);
    expect((await bystander.get('/me')).status).to.equal(200);
  });

  it('are shut out at once when they are removed, stay on record, and may be added anew', async () => {
    await createUser(stack, tenant.id);
    const user = await createUser(stack, tenant.id);
    const person = await signIn(stack, user);
    const removed = await tenant.client.delete(`/users/${user.id}`);
    expect(removed.status, removed.text).to.equal(200);
    expect(removed.body.deactivated_at).to.be.a('string');
    await eventually('401', async () => (await person.get('/me')).status === 401, 2000);
    expect(await statusOfSignIn(user.email, PASSWORD)).to.equal(401);
    expect((await tenant.client.delete(`/users/${user.id}`)).text, 'again').to.equal(removed.text);
    expectError(await tenant.client.patch(`/users/${user.id}`, { name: 'Back' }), 409, 'conflict');
    expect((await tenant.client.get(`/users/${user.id}`)).text).to.equal(removed.text);
    const list = async (query: string) =>
      (await tenant.client.get(`/users?${query}`)).body.data.items.map((one: { id: string }) => one.id);
    expect(await list('is_active=false')).to.deep.equal([user.id]);
    expect(await list('is_active=true')).to.have.length(1);
    const anew = await add({ email: user.email, password: PASSWORD });
    expect(anew.status, anew.text).to.equal(201);
    expect(await statusOfSignIn(user.email, PASSWORD)).to.equal(200);
  });

  it('are never all removed: one stays, whoever asks, also when two go at once', async () => {
    const users = [await createUser(stack, tenant.id), await createUser(stack, tenant.id)];
    const answers = await Promise.all(users.map(({ id }) => tenant.client.delete(`/users/${id}`)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    const last = answers.find(({ status }) => status === 409) as Answer;
    expectError(last, 409, 'conflict');
    expect((await tenant.client.get('/users?is_active=true')).body.data.count).to.equal(1);
  });

  it('are never left without one who can sign in: somebody without a password does not count', async () => {
    const user = await createUser(stack, tenant.id);
    const { id } = (await add()).body;
    expectError(await tenant.client.delete(`/users/${user.id}`), 409, 'conflict');
    expect((await tenant.client.delete(`/users/${id}`)).status).to.equal(200);
  });

  it('leave no trace of their password: not in answers, audit log, idempotency keys or operations', async () => {
    const password = `Secret-${newId()}`;
    const key = newId();
    const email = `${newId()}@example.com`;
    const first = await add({ email, password }, { 'idempotency-key': key });
    const again = await add({ email, password }, { 'idempotency-key': key });
    expect(again.text).to.equal(first.text);
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    const other = await add({ email, password: `${password}!` }, { 'idempotency-key': key });
    expectError(other, 422, 'idempotency_key_reused');
    expect((await (await colleague()).patch(`/users/${first.body.id}`, { password })).status).to.equal(200);
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

  it('belong to the live account: neither a sandbox key nor a person in the sandbox reaches them', async () => {
    const user = await createUser(stack, tenant.id);
    const inSandbox = await signIn(stack, user, 'sandbox');
    for (const client of [tenant.sandbox, inSandbox]) {
      expectError(await client.get('/users'), 403, 'forbidden');
      expectError(await client.post('/users', { name: 'x', email: 'x@example.com' }), 403, 'forbidden');
      expectError(await client.get(`/users/${user.id}`), 403, 'forbidden');
      expectError(await client.patch(`/users/${user.id}`, {}), 403, 'forbidden');
      expectError(await client.delete(`/users/${user.id}`), 403, 'forbidden');
    }
  });

  it('are rehearsed without being stored', async () => {
    const preview = await add({ email: 'dry@example.com' }, { 'x-service-dry-run': 'true' });
    expect(preview.body.data).to.include({ email: 'dry@example.com' });
    expect((await tenant.client.get('/users')).body.data.count).to.equal(0);
    expect(await statusOfSignIn('dry@example.com', PASSWORD)).to.equal(401);
  });
});
