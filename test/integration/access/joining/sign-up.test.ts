import type { Job } from 'bullmq';
import { expect } from 'chai';
import { NO_TENANT } from '../../../../shared/platform/ids.js';
import type { ClockJob } from '../../../../shared/queues/clock.js';
import { insertAccessMails } from '../../../../shared/resources/access-mails/store.js';
import { createClockProcessor } from '../../../../workers/clock/processor.js';
import { TestClient, type TestResponse } from '../../../support/client.js';
import { expectError, listValidationErrors } from '../../../support/expect-error.js';
import {
  createAddress,
  createStranger,
  PUBLIC_URL,
  useMailedStack,
} from '../../../support/network/mailed-stack.js';
import {
  createSessionClient,
  createUser,
  readCookie,
  requestSession,
  TEST_PASSWORD,
} from '../../../support/records/sign-in.js';
import { useStack } from '../../../support/use-stack.js';

const APPLICANT = { company: 'Hudson Towing', name: 'Dana Whitfield', password: TEST_PASSWORD };

describe('sign-up', () => {
  const { stack, mailbox, listMails } = useMailedStack({ SIGNUP: 'open' });

  const signUp = (input: Record<string, unknown> = {}) =>
    createStranger(stack).post('/signup', { ...APPLICANT, email: createAddress(), ...input });
  const verify = (token: string, password = TEST_PASSWORD) =>
    createStranger(stack).post(`/signup/verify/${token}`, { password });
  const findSignUps = (email: string) =>
    stack.rows<{ id: string }>(NO_TENANT, 'select * from sign_ups where lower(email) = lower($1)', [email]);

  it('the mailed link of a sign-up and the password create account, sandbox, owner and both keys, which are shown once', async () => {
    const email = createAddress();
    const asked = await signUp({ email });
    expect(asked.status, asked.text).to.equal(202);
    const { mail } = await mailbox(email).waitFor();
    expect(mail.text).to.include(`${PUBLIC_URL}/app/verify/`).and.not.include('Hudson');
    const token = await mailbox(email).waitForToken();
    expect((await createStranger(stack).get(`/signup/verify/${token}`)).body).to.include({
      company: 'Hudson Towing',
      email,
    });
    expect((await requestSession(stack.origin, { email, password: TEST_PASSWORD })).status).to.equal(401);
    const done = await verify(token);
    expect(done.status, done.text).to.equal(201);
    const { account, sandbox, user, api_key, sandbox_key } = done.body;
    expect(account.name).to.equal('Hudson Towing');
    const me = await stack.createClient(api_key).get('/me');
    expect(me.body).to.deep.include({ tenant: { ...me.body.tenant, id: account.id } });
    const sandboxMe = await stack.createClient(sandbox_key).get('/me');
    expect(sandboxMe.body.tenant.id).to.equal(sandbox.id);
    const session = await requestSession(stack.origin, { email, password: TEST_PASSWORD });
    expect(session.body.user).to.include({ ...user, role: 'owner' });
    const owner = createSessionClient(stack.origin, readCookie(session));
    expect(
      (await owner.get('/api-keys')).body.data.items.map((key: { name: string }) => key.name),
    ).to.deep.equal(['First API key']);
    expectError(await verify(token), 404, 'not_found');
    const { items } = (await owner.get('/audit-log')).body.data;
    expect(items.map(({ action }: { action: string }) => action)).to.include.members([
      'tenant.created',
      'user.verified',
      'api_key.created',
    ]);
    expect(JSON.stringify(items))
      .to.not.include(api_key)
      .and.not.include(TEST_PASSWORD)
      .and.not.include(token);
  });

  it('POST /signup gives an address that has an account the same status, headers, body and mail as any other', async () => {
    const tenant = await stack.createTenant();
    const known = await createUser(stack, tenant.id, { email: createAddress() });
    const unknown = createAddress();
    const responses = [await signUp({ email: known.email }), await signUp({ email: unknown })];
    const [first, second] = responses.map(describeResponse);
    expect(first).to.deep.equal(second);
    const text = async (email: string) =>
      (await mailbox(email).waitFor()).mail.text?.replace(/\/verify\/\w+/, '');
    expect(await text(known.email)).to.equal(await text(unknown));
    expect((await verify(await mailbox(known.email).waitForToken())).status).to.equal(201);
  });

  it('without the password of the sign-up, whoever owns the mailbox creates nothing', async () => {
    const email = createAddress();
    await signUp({ email });
    const token = await mailbox(email).waitForToken();
    expectError(await verify(token, 'a guess of the owner'), 401, 'unauthorized');
    const [row] = await stack.rows<{ completed_at: Date | null }>(
      NO_TENANT,
      'select completed_at from sign_ups where email = $1',
      [email],
    );
    expect(row?.completed_at).to.equal(null);
    expect((await verify(token)).status).to.equal(201);
  });

  it('two concurrent uses of the link of a sign-up create one account', async () => {
    const email = createAddress();
    await signUp({ email });
    const token = await mailbox(email).waitForToken();
    const responses = await Promise.all([verify(token), verify(token)]);
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, 404]);
    const tenants = await stack.runtime.db.listTenantIds();
    const found = await Promise.all(
      tenants.map((id) =>
        stack.rows(id, 'select 1 from users where tenant_id = $1 and email = $2', [id, email]),
      ),
    );
    expect(found.flat()).to.have.length(1);
  });

  it('an unknown or expired link of a sign-up gets 404 and creates no account', async () => {
    const email = createAddress();
    await signUp({ email });
    const token = await mailbox(email).waitForToken();
    await stack.rows(NO_TENANT, 'update sign_ups set expires_at = now() where email = $1', [email]);
    for (const broken of [token, 'x'.repeat(43), 'short']) {
      expectError(await verify(broken), 404, 'not_found');
      expectError(await createStranger(stack).get(`/signup/verify/${broken}`), 404, 'not_found');
    }
  });

  it('the clock deletes a sign-up that nobody verified, and its mail, but no open one', async () => {
    const [old, open] = [createAddress(), createAddress()];
    await signUp({ email: old });
    await signUp({ email: open });
    await mailbox(old).waitFor();
    await stack.rows(
      NO_TENANT,
      `update sign_ups set expires_at = now() - interval '26 hours' where email = $1`,
      [old],
    );
    await stack.rows(
      NO_TENANT,
      `update access_mails set state = 'sent', created_at = now() - interval '26 hours' where recipient = $1`,
      [old],
    );
    await createClockProcessor(stack.runtime)({ name: 'prompt-messages', data: {} } as Job<ClockJob>, '');
    expect(await findSignUps(old)).to.deep.equal([]);
    expect(await findSignUps(open)).to.have.length(1);
    const mails = await stack.rows(NO_TENANT, 'select 1 from access_mails where recipient = $1', [old]);
    expect(mails).to.deep.equal([]);
  });

  it('the clock finds the mail of a sign-up whose wake-up job was lost', async () => {
    const email = createAddress();
    await stack.runtime.db.transaction([NO_TENANT], (tx) =>
      insertAccessMails(tx, [{ tenant_id: NO_TENANT, kind: 'sign_up', recipient: email, body_text: 'x' }]),
    );
    await createClockProcessor(stack.runtime)({ name: 'prompt-messages', data: {} } as Job<ClockJob>, '');
    expect((await mailbox(email).waitFor()).to).to.deep.equal([email]);
  });

  it('strangers cannot keep the owner of an address from a sign-up: the three newest links work', async () => {
    const email = createAddress();
    const responses = [];
    for (let nth = 0; nth < 4; nth += 1) responses.push(await signUp({ email }));
    for (const response of responses)
      expect(describeResponse(response)).to.deep.equal(describeResponse(responses[0] as TestResponse));
    await mailbox(email).waitFor(4);
    const mails = await Promise.all([1, 2, 3, 4].map((nth) => mailbox(email).waitForToken(nth)));
    const open = await Promise.all(
      mails.map(async (token) => (await createStranger(stack).get(`/signup/verify/${token}`)).status),
    );
    expect(open.filter((status) => status === 200)).to.have.length(3);
    expect(open.filter((status) => status === 404)).to.have.length(1);
  });

  it('one address gets at most ten sign-up mails a day, five from one network, and the response does not reveal it', async () => {
    const email = createAddress();
    const near = createStranger(stack);
    for (let nth = 0; nth < 6; nth += 1)
      expect((await near.post('/signup', { ...APPLICANT, email })).status).to.equal(202);
    expect(await findSignUps(email)).to.have.length(5);
    await stack.rows(NO_TENANT, `update access_mails set network = 'another' where recipient = $1`, [email]);
    for (let nth = 0; nth < 6; nth += 1) {
      expect((await signUp({ email })).status).to.equal(202);
      await stack.rows(NO_TENANT, `update access_mails set network = 'another' where recipient = $1`, [
        email,
      ]);
    }
    expect(await findSignUps(email)).to.have.length(10);
  });

  it('a sign-up whose name or company contains a link is refused, because mails to others show both', async () => {
    for (const input of [
      { company: 'Cheap at http://spam.example' },
      { name: 'see WWW.spam.example' },
      { company: '{link}' },
    ]) {
      const refused = await signUp(input);
      expectError(refused, 400, 'validation_error');
      expect(refused.text).to.include('must contain no link');
    }
  });

  it('the mail of a sign-up is sent again, three times at most, with the same link', async () => {
    const email = createAddress();
    const resend = (address: string) => createStranger(stack).post('/signup/resend', { email: address });
    await signUp({ email });
    const token = await mailbox(email).waitForToken();
    for (let nth = 0; nth < 4; nth += 1) expect((await resend(email)).status).to.equal(202);
    expect(await mailbox(email).waitForToken(3)).to.equal(token);
    const [{ count } = { count: 0 }] = await stack.rows<{ count: number }>(
      NO_TENANT,
      'select count(*)::int as count from access_mails where recipient = $1',
      [email],
    );
    expect(count).to.equal(3);
    const unknown = createAddress();
    expect(describeResponse(await resend(unknown))).to.deep.equal(describeResponse(await resend(email)));
    expect(listMails(unknown)).to.deep.equal([]);
  });

  it('one block of addresses signs up 20 times a day, and others still can', async () => {
    const signUpFrom = (nth: number) =>
      new TestClient(stack.origin, '', '/v1', { 'x-forwarded-for': `203.0.113.${nth}` }).post('/signup', {
        ...APPLICANT,
        email: createAddress(),
      });
    for (let nth = 1; nth <= 20; nth += 1) expect((await signUpFrom(nth)).status).to.equal(202);
    expectError(await signUpFrom(21), 429, 'rate_limited');
    expect((await signUp()).status).to.equal(202);
    const [row] = await stack.rows<{ text: string }>(
      NO_TENANT,
      `select string_agg(to_jsonb(t)::text, '') as text from access_mails t where kind = 'sign_up'`,
    );
    expect(row?.text).to.not.include('203.0.113');
  });

  it('a sign-up with a weak password or missing members is refused', async () => {
    const refused = await createStranger(stack).post('/signup', { password: 'short', email: 'nobody' });
    expectError(refused, 400, 'validation_error');
    expect(listValidationErrors(refused)).to.have.length(4);
  });

  it('a network may sign up 20 times a minute', async () => {
    const stranger = createStranger(stack);
    for (let nth = 0; nth < 20; nth += 1) await stranger.post('/signup', {});
    expectError(await stranger.post('/signup', {}), 429, 'rate_limited');
  });
});

describe('sign-up by invitation of the operator', () => {
  const stack = useStack({ environment: { SIGNUP: 'invite', SIGNUPS_PER_DAY: '2', TRUST_PROXY: 'true' } });

  it('with SIGNUP=invite, a sign-up needs a token that works once, and only a set number succeeds in a day', async () => {
    const { createSignUpToken } = await import('../../../../bin/commands/sign-up-tokens.js');
    const create = async () => {
      const { data } = await createSignUpToken({ values: {}, positionals: [] }, {
        store: async () => stack.runtime,
      } as unknown as Parameters<typeof createSignUpToken>[1]);
      return (data as { token: string }).token;
    };
    const signUp = (signup_token?: string) =>
      createStranger(stack).post('/signup', {
        ...APPLICANT,
        email: createAddress(),
        ...(signup_token ? { signup_token } : {}),
      });
    expect((await createStranger(stack).get('/signup')).body).to.deep.equal({ mode: 'invite' });
    // Send all requests at once. A request without a token is refused before it waits to hash a
    // password.
    const refused = await Promise.all(Array.from({ length: 20 }, () => signUp()));
    for (const response of refused) expectError(response, 403, 'forbidden');
    expectError(await signUp('x'.repeat(43)), 403, 'forbidden');
    const token = await create();
    expect((await signUp(token)).status).to.equal(202);
    expectError(await signUp(token), 403, 'forbidden');
    expect((await signUp(await create())).status).to.equal(202);
    expectError(await signUp(await create()), 429, 'rate_limited');
  });
});

describe('closed sign-up', () => {
  const stack = useStack({ environment: { SIGNUP: 'closed' } });

  it('with SIGNUP=closed, every sign-up is refused with 403', async () => {
    expect((await createStranger(stack).get('/signup')).body).to.deep.equal({ mode: 'closed' });
    expectError(
      await createStranger(stack).post('/signup', { ...APPLICANT, email: createAddress() }),
      403,
      'forbidden',
    );
    expectError(
      await createStranger(stack).post('/signup/resend', { email: createAddress() }),
      403,
      'forbidden',
    );
  });
});

/** Returns the parts of a response that a stranger could compare with those of another response. */
function describeResponse({ status, headers, text }: TestResponse) {
  const { date, 'x-request-id': id, ...others } = headers;
  return { status, text, headers: others };
}
