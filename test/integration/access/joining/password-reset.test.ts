import { expect } from 'chai';
import { NO_TENANT } from '../../../../shared/platform/ids.js';
import type { TestResponse } from '../../../support/client.js';
import { expectError } from '../../../support/expect-error.js';
import {
  createAddress,
  createStranger,
  PUBLIC_URL,
  useMailedStack,
} from '../../../support/network/mailed-stack.js';
import { eventually } from '../../../support/poll.js';
import {
  createUser,
  openSession,
  requestSession,
  TEST_PASSWORD,
  type TestUser,
} from '../../../support/records/sign-in.js';
import type { TestTenant } from '../../../support/stack.js';

const NEW_PASSWORD = 'another long password';

describe('password reset by mail', () => {
  const { stack, mailbox } = useMailedStack();
  let tenant: TestTenant;
  let user: TestUser;

  beforeEach(async () => {
    tenant = await stack.createTenant('Hudson Towing');
    user = await createUser(stack, tenant.id, { email: createAddress() });
  });

  const ask = (email: string, client = createStranger(stack)) => client.post('/password-reset', { email });
  const reset = (token: string, password = NEW_PASSWORD) =>
    createStranger(stack).post(`/password-reset/${token}`, { password });
  const signInStatus = async (email: string, password: string) =>
    (await requestSession(stack.origin, { email, password })).status;

  /** Waits until the worker has handled `asked` requests. Returns how many of them led to mails. */
  const countMailedRequests = (email: string, asked: number) =>
    eventually('the worker handled the requests', async () => {
      const rows = await stack.rows<{ state: string }>(
        NO_TENANT,
        `select state from access_mails where kind = 'reset_request' and lower(recipient) = lower($1)`,
        [email],
      );
      const isDone = rows.length === asked && rows.every(({ state }) => state !== 'queued');
      return isDone && { mailed: rows.filter(({ state }) => state === 'sent').length };
    });

  it('the mailed link of a password reset sets a new password and ends every session, and a mail confirms this', async () => {
    const session = await openSession(stack, user);
    expect((await session.get('/session')).status).to.equal(200);
    expect((await ask(user.email.toUpperCase())).status).to.equal(202);
    const token = await mailbox(user.email).waitForToken();
    const done = await reset(token);
    expect(done.status, done.text).to.equal(200);
    expect(done.headers['set-cookie']).to.equal(undefined);
    expect(await signInStatus(user.email, NEW_PASSWORD)).to.equal(200);
    expect(await signInStatus(user.email, TEST_PASSWORD)).to.equal(401);
    await eventually('the session ends', async () => (await session.send('GET', '/session')).status === 401);
    const { mail } = await mailbox(user.email).waitFor(2);
    expect(mail.subject).to.equal('Your password for Hudson Towing was changed');
    expect(mail.text).to.include(`${PUBLIC_URL}/app/forgot-password`);
  });

  it('POST /password-reset gives known and unknown addresses the same status, headers and body', async () => {
    const unusable = createAddress();
    await tenant.client.post('/users', { name: 'No password', email: unusable });
    const deactivated = await createUser(stack, tenant.id, { role: 'viewer', email: createAddress() });
    await tenant.client.delete(`/users/${deactivated.id}`);
    const responses = await Promise.all(
      [user.email, unusable, createAddress(), deactivated.email].map((email) => ask(email)),
    );
    const [first, ...others] = responses.map(describeResponse);
    for (const other of others) expect(other).to.deep.equal(first);
    await mailbox(user.email).waitFor();
    for (const email of [unusable, deactivated.email])
      expect((await countMailedRequests(email, 1)).mailed).to.equal(0);
  });

  it('an address that a key gave to a person gets no link to set the password, and one that a person gave does', async () => {
    const person = await createUser(stack, tenant.id, { role: 'dispatcher', email: createAddress() });
    const [byKey, byOwner] = [createAddress(), createAddress()];
    expect((await tenant.client.patch(`/users/${person.id}`, { email: byKey })).status).to.equal(200);
    await ask(byKey);
    expect((await countMailedRequests(byKey, 1)).mailed).to.equal(0);
    const owner = await openSession(stack, user);
    expect((await owner.patch(`/users/${person.id}`, { email: byOwner })).status).to.equal(200);
    await ask(byOwner);
    expect((await reset(await mailbox(byOwner).waitForToken())).status).to.equal(200);
  });

  it('a password reset mails one link for each account that has the address, and names the account', async () => {
    const other = await stack.createTenant('Catskill Recovery');
    await createUser(stack, other.id, { email: user.email });
    await ask(user.email);
    await mailbox(user.email).waitFor(2);
    const mails = [await mailbox(user.email).waitFor(1), await mailbox(user.email).waitFor(2)];
    expect(mails.map(({ mail }) => mail.subject)).to.have.members([
      'Set a new password for Hudson Towing',
      'Set a new password for Catskill Recovery',
    ]);
    const nth = mails.findIndex(({ mail }) => mail.subject?.includes('Catskill')) + 1;
    expect((await reset(await mailbox(user.email).waitForToken(nth))).status).to.equal(200);
    const session = await requestSession(stack.origin, { email: user.email, password: NEW_PASSWORD });
    expect(session.body.tenant.name).to.equal('Catskill Recovery');
  });

  it('the link of a password reset works once: a second, a concurrent and an expired use get the same 404', async () => {
    await ask(user.email);
    const token = await mailbox(user.email).waitForToken();
    expectError(await reset(token, 'too short'), 400, 'validation_error');
    const responses = await Promise.all([reset(token), reset(token, `${NEW_PASSWORD} 2`)]);
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 404]);
    expectError(await reset(token), 404, 'not_found');
    const late = await createUser(stack, tenant.id, { email: createAddress() });
    await ask(late.email);
    const lateToken = await mailbox(late.email).waitForToken();
    await stack.rows(tenant.id, 'update password_resets set expires_at = now() where tenant_id = $1', [
      tenant.id,
    ]);
    expectError(await reset(lateToken), 404, 'not_found');
    expectError(await reset('x'.repeat(43)), 404, 'not_found');
    expect(await signInStatus(late.email, TEST_PASSWORD)).to.equal(200);
  });

  it('a new password makes all other links of the person useless', async () => {
    await ask(user.email);
    const first = await mailbox(user.email).waitForToken();
    await forgetRecentResets();
    await ask(user.email);
    const second = await mailbox(user.email).waitForToken(2);
    expect((await reset(second)).status).to.equal(200);
    expectError(await reset(first), 404, 'not_found');
  });

  it('many requests for a password reset send one mail in ten minutes, and its link still works', async () => {
    const asked = 8;
    for (let nth = 0; nth < asked; nth += 1) expect((await ask(user.email)).status).to.equal(202);
    expect((await countMailedRequests(user.email, asked)).mailed).to.equal(1);
    expect((await reset(await mailbox(user.email).waitForToken())).status).to.equal(200);
  });

  it('requests from unknown networks use up twelve mails of password resets a day, and leave those of known networks', async () => {
    const known = createStranger(stack);
    await known.post('/session', { email: user.email, password: user.password });
    for (let nth = 1; nth <= 12; nth += 1) {
      await ask(user.email);
      await mailbox(user.email).waitFor(nth);
      await forgetRecentResets();
    }
    await ask(user.email);
    expect((await countMailedRequests(user.email, 13)).mailed).to.equal(12);
    await ask(user.email, known);
    expect((await reset(await mailbox(user.email).waitForToken(13))).status).to.equal(200);
  });

  it('a network that asks too often for resets of one address causes no more work, and gets the usual response', async () => {
    const stranger = createStranger(stack);
    const statuses = [];
    for (let nth = 0; nth < 8; nth += 1) statuses.push((await ask(user.email, stranger)).status);
    expect(statuses).to.deep.equal(Array(8).fill(202));
    expect((await countMailedRequests(user.email, 5)).mailed).to.equal(1);
    for (let nth = 8; nth < 20; nth += 1) await ask(createAddress(), stranger);
    expectError(await ask(createAddress(), stranger), 429, 'rate_limited');
  });

  it('neither the audit log nor PostgreSQL contains the token of a password reset or the new password', async () => {
    await ask(user.email);
    const token = await mailbox(user.email).waitForToken();
    await reset(token);
    const { items } = (await tenant.client.get('/audit-log?action=user.password_changed')).body.data;
    expect(items).to.have.length(1);
    expect(items[0].actor).to.include({ type: 'user', id: user.id });
    expect(items[0].changes).to.deep.equal([{ field: 'password', from: null, to: '[redacted]' }]);
    const stored = await stack.rows(tenant.id, 'select to_jsonb(t)::text as text from access_mails t');
    expect(JSON.stringify([items, stored]))
      .to.not.include(token)
      .and.not.include(NEW_PASSWORD);
  });

  /**
   * Makes the account's resets eleven minutes older. The product sends at most one mail in ten
   * minutes.
   */
  async function forgetRecentResets(): Promise<void> {
    await stack.rows(
      tenant.id,
      `update password_resets set created_at = created_at - interval '11 minutes' where tenant_id = $1`,
      [tenant.id],
    );
  }
});

/** Returns the parts of a response that a stranger could compare with those of another response. */
function describeResponse({ status, headers, text }: TestResponse) {
  const { date, 'x-request-id': id, ...others } = headers;
  return { status, text, headers: others };
}
