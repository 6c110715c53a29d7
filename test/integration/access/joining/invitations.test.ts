import { expect } from 'chai';
import type { TestClient } from '../../../support/client.js';
import { expectError, listValidationErrors } from '../../../support/expect-error.js';
import {
  createAddress,
  createStranger,
  PUBLIC_URL,
  useMailedStack,
} from '../../../support/network/mailed-stack.js';
import { createUser, openSession, requestSession, TEST_PASSWORD } from '../../../support/records/sign-in.js';
import type { TestTenant } from '../../../support/stack.js';
import { useStack } from '../../../support/use-stack.js';

const PERSON = { name: 'Sam Rivera', password: TEST_PASSWORD };

describe('invitations', () => {
  const { stack, mailbox } = useMailedStack();
  let tenant: TestTenant;
  let owner: TestClient;

  beforeEach(async () => {
    tenant = await stack.createTenant('Hudson Towing');
    owner = await openSession(stack, { tenantId: tenant.id });
  });

  const invite = async (input: Record<string, unknown> = {}, client = owner) => {
    const email = createAddress();
    const response = await client.post('/invitations', { email, role: 'dispatcher', ...input });
    return { email, response };
  };
  const accept = (token: string, person: object = PERSON) =>
    createStranger(stack).post(`/invitations/${token}/accept`, person);

  it('an invited person chooses name and password by the mailed link, and signs in with the role', async () => {
    const { email, response } = await invite();
    expect(response.status, response.text).to.equal(201);
    expect(response.body).to.include({ email, role: 'dispatcher', status: 'open', accept_url: null });
    const { mail } = await mailbox(email).waitFor();
    expect(mail.subject).to.equal('Your invitation to Hudson Towing');
    expect(mail.text).to.include('Olive Operator invites you').and.include(`${PUBLIC_URL}/app/invitation/`);
    const token = await mailbox(email).waitForToken();
    const offer = await createStranger(stack).get(`/invitations/${token}/accept`);
    expect(offer.body).to.include({ account: 'Hudson Towing', email, role: 'dispatcher' });
    const accepted = await accept(token);
    expect(accepted.status, accepted.text).to.equal(200);
    expect(accepted.body).to.include({ id: response.body.id, status: 'accepted' });
    expect(accepted.headers['set-cookie']).to.equal(undefined);
    const session = await requestSession(stack.origin, { email, password: TEST_PASSWORD });
    expect(session.body.user).to.include({ email, name: 'Sam Rivera', role: 'dispatcher' });
    expect(session.body.tenant.id).to.equal(tenant.id);
  });

  it('two concurrent accepts of one invitation add one person, and its link then works no more', async () => {
    const { email } = await invite();
    const token = await mailbox(email).waitForToken();
    const responses = await Promise.all([accept(token), accept(token, { ...PERSON, name: 'Other' })]);
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
    expectError(await accept(token), 404, 'not_found');
    const { items } = (await owner.get('/users')).body.data;
    expect(items.filter((user: { email: string }) => user.email === email)).to.have.length(1);
  });

  it('an invitation link that is unknown, revoked, replaced or expired gets the same 404', async () => {
    const revoked = await invite();
    const revokedToken = await mailbox(revoked.email).waitForToken();
    const response = await owner.delete(`/invitations/${revoked.response.body.id}`);
    expect(response.body.status).to.equal('revoked');
    const replaced = await invite();
    const replacedToken = await mailbox(replaced.email).waitForToken();
    await invite({ email: replaced.email });
    const newToken = await mailbox(replaced.email).waitForToken(2);
    const expired = await invite();
    const expiredToken = await mailbox(expired.email).waitForToken();
    const expire = `update invitations set expires_at = now() where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, expire, [tenant.id, expired.response.body.id]);
    const texts = new Set<string>();
    for (const token of [revokedToken, replacedToken, expiredToken, 'x'.repeat(43), 'short']) {
      const refused = await accept(token);
      expectError(refused, 404, 'not_found');
      texts.add(refused.body.error.message);
      expectError(await createStranger(stack).get(`/invitations/${token}/accept`), 404, 'not_found');
    }
    expect(texts.size).to.equal(1);
    expect((await accept(newToken)).status).to.equal(200);
    const list = async (status: string) =>
      (await owner.get(`/invitations?status=${status}`)).body.data.items.length;
    expect([
      await list('open'),
      await list('accepted'),
      await list('revoked'),
      await list('expired'),
    ]).to.deep.equal([0, 1, 2, 1]);
    expectError(
      await owner.delete(`/invitations/${revoked.response.body.id.replace(/^0/, '1')}`),
      404,
      'not_found',
    );
  });

  it('only an owner invites owners: no admin and no key does', async () => {
    const admin = await openSession(stack, await createUser(stack, tenant.id, { role: 'admin' }));
    expectError((await invite({ role: 'owner' }, admin)).response, 403, 'forbidden');
    expectError((await invite({ role: 'owner' }, tenant.client)).response, 403, 'forbidden');
    expect((await invite({ role: 'owner' })).response.status).to.equal(201);
    expect((await invite({ role: 'viewer' }, admin)).response.status).to.equal(201);
  });

  it('a key invites only people with roles that cannot approve, and gives nobody such a role later', async () => {
    for (const role of ['admin', 'dispatcher', 'bookkeeper'])
      expectError((await invite({ role }, tenant.client)).response, 403, 'forbidden');
    const { email, response } = await invite({ role: 'viewer' }, tenant.client);
    expect(response.status, response.text).to.equal(201);
    const accepted = await accept(await mailbox(email).waitForToken());
    expect(accepted.status, accepted.text).to.equal(200);
    const { items } = (await owner.get('/users')).body.data;
    const { id } = items.find((user: { email: string }) => user.email === email);
    expectError(await tenant.client.patch(`/users/${id}`, { role: 'admin' }), 403, 'forbidden');
    expect((await owner.patch(`/users/${id}`, { role: 'admin' })).body.role).to.equal('admin');
  });

  it('people without the permission admin, the sandbox and other accounts see no invitation', async () => {
    const { response } = await invite();
    const viewer = await openSession(stack, await createUser(stack, tenant.id, { role: 'viewer' }));
    expectError(await viewer.get('/invitations'), 403, 'insufficient_scope');
    expectError((await invite({}, viewer)).response, 403, 'insufficient_scope');
    expectError(await tenant.sandbox.get('/invitations'), 403, 'forbidden');
    const other = await stack.createTenant();
    expectError(await other.client.get(`/invitations/${response.body.id}`), 404, 'not_found');
    expectError(await other.client.delete(`/invitations/${response.body.id}`), 404, 'not_found');
    expect((await owner.get(`/invitations/${response.body.id}`)).body.status).to.equal('open');
  });

  it('a person of the account cannot be invited, and accepting an invitation fails once the address is taken', async () => {
    const user = await createUser(stack, tenant.id);
    expectError((await invite({ email: user.email.toUpperCase() })).response, 409, 'conflict');
    const { email } = await invite();
    const token = await mailbox(email).waitForToken();
    await createUser(stack, tenant.id, { email });
    expectError(await accept(token), 409, 'conflict');
  });

  it('accepting an invitation with a weak password or without a name is refused, and the link still works', async () => {
    const { email } = await invite();
    const token = await mailbox(email).waitForToken();
    const refused = await accept(token, { password: 'too short' });
    expect(listValidationErrors(refused)).to.deep.equal(['name required', 'password min']);
    expect((await accept(token)).status).to.equal(200);
  });

  it('an account invites one address at most five times a day, and has at most 100 open invitations', async () => {
    const email = createAddress();
    for (let nth = 0; nth < 5; nth += 1) expect((await invite({ email })).response.status).to.equal(201);
    expectError((await invite({ email: email.toUpperCase() })).response, 409, 'conflict');
    await stack.rows(
      tenant.id,
      `insert into invitations (tenant_id, id, email, role, token_hash, created_at, expires_at)
       select $1::uuid, gen_random_uuid(), n || '@example.com', 'viewer', sha256(($1::text || n)::bytea), now() - interval '2 days', now() + interval '1 day' from generate_series(1, 99) n`,
      [tenant.id],
    );
    const refused = (await invite()).response;
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).to.include('100 open invitations');
  });

  it('an account creates at most 100 invitations a day, even if it revokes them', async () => {
    await stack.rows(
      tenant.id,
      `insert into invitations (tenant_id, id, email, role, token_hash, expires_at, revoked_at)
       select $1::uuid, gen_random_uuid(), n || '@example.com', 'viewer', sha256(($1::text || n)::bytea), now() + interval '1 day', now() from generate_series(1, 99) n`,
      [tenant.id],
    );
    expect((await invite()).response.status).to.equal(201);
    const refused = (await invite()).response;
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).to.include('100 people within a day');
  });

  it('the open invitations of a person who is deactivated or may invite no more stop working', async () => {
    const remove = [
      (id: string) => owner.delete(`/users/${id}`),
      (id: string) => owner.patch(`/users/${id}`, { role: 'dispatcher' }),
    ];
    const kept = await invite();
    for (const end of remove) {
      const admin = await createUser(stack, tenant.id, { role: 'admin', email: createAddress() });
      const session = await openSession(stack, admin);
      const { email, response } = await invite({}, session);
      expect(response.status, response.text).to.equal(201);
      const token = await mailbox(email).waitForToken();
      expect((await end(admin.id)).status).to.equal(200);
      expectError(await accept(token), 404, 'not_found');
    }
    expect((await accept(await mailbox(kept.email).waitForToken())).status).to.equal(200);
  });

  it("an account's name in the mail of an invitation can neither replace the link nor contain one that can be clicked", async () => {
    const account = await stack.createTenant('{link} http://spam.example www.spam.example');
    const { email, response } = await invite({}, await openSession(stack, { tenantId: account.id }));
    expect(response.status, response.text).to.equal(201);
    const { mail } = await mailbox(email).waitFor();
    expect(mail.text).to.include('{link} http spam.example www spam.example');
    expect((await accept(await mailbox(email).waitForToken())).status).to.equal(200);
  });

  it('neither the audit log nor PostgreSQL contains the token of an invitation or the chosen password', async () => {
    const { email } = await invite();
    const token = await mailbox(email).waitForToken();
    await accept(token);
    const entries = (await owner.get('/audit-log?entity_type=invitation')).body.data.items;
    expect(entries.map(({ action }: { action: string }) => action)).to.have.members([
      'invitation.created',
      'invitation.accepted',
    ]);
    const [accepted] = entries;
    expect(accepted.changes).to.deep.include({ field: 'password', from: null, to: '[redacted]' });
    expect(accepted.actor).to.include({ type: 'user', name: 'Sam Rivera' });
    const stored = await stack.rows(tenant.id, 'select to_jsonb(t)::text as text from access_mails t');
    expect(JSON.stringify([entries, stored]))
      .to.not.include(token)
      .and.not.include(TEST_PASSWORD);
  });
});

describe('invitations without a mail server', () => {
  const stack = useStack();

  it('without a mail server, POST /invitations shows the link to a signed-in person, and never to a key', async () => {
    const tenant = await stack.createTenant();
    const owner = await openSession(stack, { tenantId: tenant.id });
    const input = { email: createAddress(), role: 'viewer' };
    const { body } = await owner.post('/invitations', input);
    const token = String(body.accept_url).split('/').at(-1);
    expect((await createStranger(stack).post(`/invitations/${token}/accept`, PERSON)).status).to.equal(200);
    const byKey = await tenant.client.post('/invitations', { ...input, email: createAddress() });
    expect(byKey.status).to.equal(201);
    expect(byKey.body.accept_url).to.equal(null);
    expect((await owner.get(`/invitations/${body.id}`)).body).to.not.have.property('accept_url');
  });
});
