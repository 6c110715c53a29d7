import { expect } from 'chai';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import {
  AuthenticatorApp,
  addTotp,
  beginTotp,
  createPersonWithFactor,
} from '../../support/factors/authenticator-app.js';
import { createSessionClient, createUser, openSession } from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

describe('second factors of a person', () => {
  const stack = useStack();
  let tenant: TestTenant;

  before(async () => {
    tenant = await stack.createTenant();
  });

  const openPerson = () => openSession(stack, { tenantId: tenant.id });

  it('POST /me/factors shows the secret and the URI of an authenticator app once', async () => {
    const person = await openPerson();
    const begun = await beginTotp(person, "Dana's phone");
    expect(begun.status, begun.text).to.equal(201);
    expect(begun.body.secret).to.match(/^[A-Z2-7]{32}$/);
    expect(begun.body.otpauth_uri)
      .to.match(/^otpauth:\/\/totp\/Tow%20Dispatch:/)
      .and.include(begun.body.secret);
    expect(begun.body).to.deep.include({
      kind: 'totp',
      name: "Dana's phone",
      confirmed_at: null,
      passkey: null,
    });
    const read = await person.get(`/me/factors/${begun.body.id}`);
    expect(read.text).to.not.include(begun.body.secret);
    expect((await person.get('/me/factors')).body.data.items).to.deep.equal([]);
  });

  it("confirming a person's first factor shows ten different recovery codes, and confirming the next one shows none", async () => {
    const person = await openPerson();
    const { id, recoveryCodes } = await addTotp(person);
    expect(new Set(recoveryCodes).size).to.equal(10);
    for (const code of recoveryCodes) expect(code).to.match(/^([2-9a-z]{4}-){3}[2-9a-z]{4}$/);
    expect((await addTotp(person)).recoveryCodes).to.equal(null);
    const { items } = (await person.get('/me/factors')).body.data;
    expect(
      items.map(({ kind, codes_left: left }: Record<string, unknown>) => [kind, left]),
    ).to.have.deep.members([
      ['totp', null],
      ['totp', null],
      ['recovery_codes', 10],
    ]);
    expectError(await person.post(`/me/factors/${id}/confirm`, { code: '123456' }), 409, 'conflict');
  });

  it('adding the first second factor needs the password, so that a stolen session cannot lock its person out', async () => {
    const person = await openPerson();
    const input = { kind: 'totp', name: 'Phone' };
    expect(listValidationErrors(await person.post('/me/factors', input))).to.deep.equal([
      'password required',
    ]);
    const wrong = await person.post('/me/factors', { ...input, password: 'a wrong password' });
    expect(listValidationErrors(wrong)).to.deep.equal(['password wrong']);
    expect((await person.get('/session')).body.has_factor).to.equal(false);
  });

  it('a second factor is not confirmed by a wrong or a missing code', async () => {
    const person = await openPerson();
    const { id, secret } = (await beginTotp(person)).body;
    const code = new AuthenticatorApp(secret).inventCode();
    for (const body of [{ code }, {}])
      expect(listValidationErrors(await person.post(`/me/factors/${id}/confirm`, body))).to.deep.equal([
        'code wrong',
      ]);
    expect((await person.get('/session')).body.has_factor).to.equal(false);
  });

  it('only the session that began to add a second factor can confirm it', async () => {
    const user = await createUser(stack, tenant.id);
    const [first, second] = [await openSession(stack, user), await openSession(stack, user)];
    const { id, secret } = (await beginTotp(first)).body;
    const code = new AuthenticatorApp(secret).takeCode();
    expectError(await second.post(`/me/factors/${id}/confirm`, { code }), 409, 'conflict');
    expect((await first.post(`/me/factors/${id}/confirm`, { code })).status).to.equal(200);
  });

  it('a second factor that was begun more than ten minutes ago cannot be confirmed', async () => {
    const person = await openPerson();
    const { id, secret } = (await beginTotp(person)).body;
    await stack.rows(
      tenant.id,
      `update user_factors set created_at = created_at - interval '11 minutes' where tenant_id = $1 and id = $2`,
      [tenant.id, id],
    );
    const code = new AuthenticatorApp(secret).takeCode();
    expectError(await person.post(`/me/factors/${id}/confirm`, { code }), 409, 'conflict');
  });

  it('a person has at most ten second factors', async () => {
    const person = await openPerson();
    for (let count = 0; count < 10; count += 1) expect((await beginTotp(person)).status).to.equal(201);
    expectError(await beginTotp(person), 409, 'conflict');
  });

  it('POST /me/factors/recovery-codes replaces the recovery codes', async () => {
    const { client, recoveryCodes } = await createPersonWithFactor(stack, tenant.id);
    const renewed = await client.post('/me/factors/recovery-codes');
    expect(renewed.status, renewed.text).to.equal(201);
    expect(renewed.body.recovery_codes).to.have.length(10);
    const [old, current] = [recoveryCodes[0], renewed.body.recovery_codes[0]];
    const refused = await client.post('/session/confirm', { recovery_code: old });
    expect(listValidationErrors(refused)).to.deep.equal(['recovery_code wrong']);
    expect((await client.post('/session/confirm', { recovery_code: current })).status).to.equal(200);
  });

  it("removing a person's last second factor removes the recovery codes too", async () => {
    const { client, id } = await createPersonWithFactor(stack, tenant.id);
    const removed = await client.delete(`/me/factors/${id}`);
    expect(removed.status, removed.text).to.equal(200);
    expect(removed.body.removed_at).to.be.a('string');
    expect((await client.get('/me/factors')).body.data.items).to.deep.equal([]);
    expectError(await client.post('/me/factors/recovery-codes'), 409, 'conflict');
    expectError(await client.delete(`/me/factors/${id}`), 404, 'not_found');
  });

  it('nobody sees, confirms or removes the second factors of another person, in the same account or in another', async () => {
    const owner = await createPersonWithFactor(stack, tenant.id);
    const pending = (await beginTotp(owner.client)).body;
    const other = await stack.createTenant();
    for (const tenantId of [tenant.id, other.id]) {
      const { client } = await createPersonWithFactor(stack, tenantId);
      expectError(await client.get(`/me/factors/${owner.id}`), 404, 'not_found');
      expectError(await client.delete(`/me/factors/${owner.id}`), 404, 'not_found');
      const code = new AuthenticatorApp(pending.secret).takeCode();
      expectError(await client.post(`/me/factors/${pending.id}/confirm`, { code }), 404, 'not_found');
      const ids = (await client.get('/me/factors')).body.data.items.map(({ id }: { id: string }) => id);
      expect(ids).to.not.include(owner.id);
    }
  });

  it('GET and POST /me/factors refuse keys, which have no second factors', async () => {
    expectError(await tenant.client.get('/me/factors'), 403, 'forbidden');
    expectError(await beginTotp(tenant.client), 403, 'forbidden');
    expectError(await tenant.client.post('/me/factors/recovery-codes'), 403, 'forbidden');
  });

  it('a person manages the same second factors while the sandbox is selected', async () => {
    const { client, id } = await createPersonWithFactor(stack, tenant.id);
    const { cookie } = client.defaultHeaders;
    const inSandbox = createSessionClient(stack.origin, cookie as string, 'sandbox');
    expect((await inSandbox.get(`/me/factors/${id}`)).status).to.equal(200);
  });

  it('no row, audit entry or stored response contains the secret, code or recovery code of a second factor', async () => {
    const own = await stack.createTenant();
    const person = await openSession(stack, { tenantId: own.id });
    const key = { headers: { 'idempotency-key': '5f3b0a3e-7d3c-4a52-b0a1-0d8a5b6c7d8e' } };
    const input = { kind: 'totp', name: 'Phone', password: 'long enough for a test' };
    const begun = await person.post('/me/factors', input, key);
    const again = await person.post('/me/factors', input, key);
    expect(again.body.secret).to.equal(begun.body.secret).and.be.a('string');
    const app = new AuthenticatorApp(begun.body.secret);
    const { recovery_codes: codes } = (
      await person.post(`/me/factors/${begun.body.id}/confirm`, { code: app.takeCode() })
    ).body;
    const tables = ['user_factors', 'audit_entries', 'idempotency_keys', 'events', 'sessions', 'operations'];
    const rows = await stack.rows(
      own.id,
      tables.map((table) => `select row_to_json(t)::text as text from ${table} t`).join(' union all '),
    );
    const text = rows.map((row) => String(row.text)).join('\n');
    expect(text).to.include('factor.confirmed').and.not.include(begun.body.secret);
    for (const code of codes) expect(text).to.not.include(code);
  });

  it('row-level security hides second factors from a transaction of another account', async () => {
    const { id } = await createPersonWithFactor(stack, tenant.id);
    const other = await stack.createTenant();
    const read = (as: string) => stack.rows(as, 'select id from user_factors where id = $1', [id]);
    expect(await read(other.id)).to.deep.equal([]);
    expect(await read(tenant.id)).to.have.length(1);
  });
});
