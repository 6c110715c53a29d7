import { expect } from 'chai';
import { NO_TENANT } from '../../../../shared/platform/ids.js';
import { expectError } from '../../../support/expect-error.js';
import { createAddress, createStranger, useMailedStack } from '../../../support/network/mailed-stack.js';
import { eventually } from '../../../support/poll.js';
import { createUser, openSession, requestSession, type TestUser } from '../../../support/records/sign-in.js';
import type { TestTenant } from '../../../support/stack.js';

const NEW_PASSWORD = 'another long password';

describe('password resets and other people', () => {
  const { stack, mailbox, listMails } = useMailedStack();
  let tenant: TestTenant;
  let user: TestUser;

  beforeEach(async () => {
    tenant = await stack.createTenant('Hudson Towing');
    user = await createUser(stack, tenant.id, { email: createAddress() });
  });

  const reset = (token: string, password = NEW_PASSWORD) =>
    createStranger(stack).post(`/password-reset/${token}`, { password });

  /**
   * Requests a password reset. Waits until the worker has handled the request, and returns whether
   * a mail was sent.
   */
  const ask = async (email: string, client = createStranger(stack)): Promise<boolean> => {
    expect((await client.post('/password-reset', { email })).status).to.equal(202);
    return eventually('the worker handled the request', async () => {
      const rows = await stack.rows<{ state: string }>(
        NO_TENANT,
        `select state from access_mails where kind = 'reset_request' and recipient = $1 order by created_at desc, id desc`,
        [email],
      );
      const isDone = rows.every(({ state }) => state !== 'queued');
      return isDone && { isMailed: rows[0]?.state === 'sent' };
    }).then(({ isMailed }) => isMailed);
  };

  const countResets = async () => (await stack.rows(tenant.id, 'select 1 from password_resets')).length;

  it('a person whom a key added gets no link to reset the password until a person sends the same address', async () => {
    const owner = await openSession(stack, user);
    const email = createAddress();
    const added = await tenant.client.post('/users', { name: 'Added by a key', email });
    expect(added.status, added.text).to.equal(201);
    const path = `/users/${added.body.id}`;
    expect((await owner.patch(path, { password: NEW_PASSWORD })).status).to.equal(200);
    expect(await ask(email)).to.equal(false);
    expect((await tenant.client.patch(path, { email })).status).to.equal(200);
    expect(await ask(email)).to.equal(false);
    expect((await owner.patch(path, { email })).status).to.equal(200);
    expect(await ask(email)).to.equal(true);
    expect(listMails(email).length).to.be.lessThan(2);
  });

  it('a person whom another person added gets a mailed link to reset the password', async () => {
    const owner = await openSession(stack, user);
    const email = createAddress();
    const added = await owner.post('/users', { name: 'Added by a person', email, password: NEW_PASSWORD });
    expect(added.status, added.text).to.equal(201);
    expect(await ask(email)).to.equal(true);
  });

  it('open links to reset a password end with a new password, a new address, a deactivation or an address from a key', async () => {
    const owner = await openSession(stack, user);
    const mark = (id: string) =>
      stack.rows(tenant.id, 'update users set is_email_set_by_key = true where id = $1', [id]);
    const ends: ((id: string) => Promise<unknown>)[] = [
      (id) => owner.patch(`/users/${id}`, { password: 'chosen by an admin' }),
      (id) => owner.patch(`/users/${id}`, { email: createAddress() }),
      (id) => owner.delete(`/users/${id}`),
      mark,
    ];
    for (const end of ends) {
      const person = await createUser(stack, tenant.id, { role: 'dispatcher', email: createAddress() });
      await ask(person.email);
      const token = await mailbox(person.email).waitForToken();
      await end(person.id);
      expectError(await reset(token), 404, 'not_found');
    }
  });

  it('after the link of a password reset was used, the next request within ten minutes is mailed', async () => {
    await ask(user.email);
    expect((await reset(await mailbox(user.email).waitForToken())).status).to.equal(200);
    expect(await ask(user.email)).to.equal(true);
  });

  it("a stranger who adds a person's address to another account uses up none of the reset mails for the person's known network", async () => {
    const own = createStranger(stack);
    await own.post('/session', { email: user.email, password: user.password });
    const account = await stack.createTenant('Of a stranger');
    const double = await createUser(stack, account.id, { email: user.email, password: 'of the stranger' });
    const near = createStranger(stack);
    const session = await near.post('/session', {
      email: double.email,
      password: double.password,
      tenant_id: account.id,
    });
    expect(session.status, session.text).to.equal(200);
    await stack.rows(
      tenant.id,
      `with made as (
         insert into password_resets (tenant_id, id, user_id, token_hash, created_at, expires_at)
         select $1::uuid, gen_random_uuid(), $2, sha256(n::text::bytea), now() - interval '1 hour', now() from generate_series(1, 12) n
         returning tenant_id, id)
       insert into access_mails (tenant_id, id, kind, recipient, link_id, is_known, state)
       select tenant_id, gen_random_uuid(), 'password_reset', $3, id, false, 'sent' from made`,
      [tenant.id, user.id, user.email],
    );
    expect(await ask(user.email, near)).to.equal(true);
    expect(await countResets()).to.equal(12);
    expect(await ask(user.email, own)).to.equal(true);
    expect(await countResets()).to.equal(13);
  });

  it('six other accounts with the same address hide nobody from password resets, nor from sign-in once the address is proved', async () => {
    const email = createAddress();
    for (let nth = 0; nth < 6; nth += 1) {
      const account = await stack.createTenant('Of a stranger');
      await createUser(stack, account.id, { email, password: 'of the stranger' });
    }
    await createUser(stack, tenant.id, { email });
    await ask(email);
    await mailbox(email).waitFor(7);
    const own = listMails(email).findIndex(({ mail }) => mail.subject?.includes('Hudson'));
    expect((await reset(await mailbox(email).waitForToken(own + 1))).status).to.equal(200);
    const session = await requestSession(stack.origin, { email, password: NEW_PASSWORD });
    expect(session.status, session.text).to.equal(200);
    expect(session.body.tenant.name).to.equal('Hudson Towing');
  });

  it('people who have no password yet do not count among the five accounts in which a sign-in tries the password', async () => {
    const email = createAddress();
    for (let nth = 0; nth < 6; nth += 1) {
      const account = await stack.createTenant('Of a stranger');
      expect((await account.client.post('/users', { name: 'Nobody', email })).status).to.equal(201);
    }
    const person = await createUser(stack, tenant.id, { email });
    const session = await requestSession(stack.origin, { email, password: person.password });
    expect(session.status, session.text).to.equal(200);
  });
});
