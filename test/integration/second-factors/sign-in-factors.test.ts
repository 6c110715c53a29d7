import { expect } from 'chai';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import {
  answerChallenge,
  createPersonWithFactor,
  requestChallenge,
  signInWithFactor,
} from '../../support/factors/authenticator-app.js';
import {
  createSessionClient,
  createUser,
  openSession,
  readCookie,
  requestSession,
} from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { PROXIED_STACK, useStack } from '../../support/use-stack.js';

describe('signing in with a second factor', () => {
  const stack = useStack(PROXIED_STACK);
  let tenant: TestTenant;
  let addresses = 0;

  before(async () => {
    tenant = await stack.createTenant();
  });

  /**
   * Returns a header for a new network. Each test uses its own, because the product counts tries
   * per network.
   */
  const useNetwork = () => {
    addresses += 1;
    return { 'x-forwarded-for': `203.0.113.${addresses}` };
  };

  it('for a person with a second factor, POST /session with the right password sets no cookie and returns a challenge', async () => {
    const { user } = await createPersonWithFactor(stack, tenant.id);
    const { email, password } = user;
    const response = await requestSession(stack.origin, { email, password });
    const [detail] = expectError(response, 403, 'factor_required');
    expect(detail).to.have.all.keys('challenge', 'expires_at', 'kinds', 'passkey');
    expect(detail).to.deep.include({ kinds: ['totp', 'recovery_codes'], passkey: null });
    expect(response.headers['set-cookie']).to.equal(undefined);
  });

  it('a wrong password gets the same response whether or not the person has a second factor', async () => {
    const { user } = await createPersonWithFactor(stack, tenant.id);
    const plain = await createUser(stack, tenant.id);
    const bodies: unknown[] = [];
    for (const email of [user.email, plain.email, 'nobody@example.com']) {
      const response = await requestSession(stack.origin, { email, password: 'a wrong password' });
      expectError(response, 401, 'unauthorized');
      const { requestId: _id, ...error } = response.body.error;
      bodies.push(error);
    }
    expect(bodies[0]).to.deep.equal(bodies[1]).and.deep.equal(bodies[2]);
  });

  it('a code of the authenticator app finishes the sign-in, and works once', async () => {
    const { user, app } = await createPersonWithFactor(stack, tenant.id);
    const code = app.takeCode();
    const person = await signInWithFactor(stack, user, { code });
    const session = (await person.get('/session')).body;
    expect(session).to.include({ has_factor: true, is_factor_setup_required: false });
    expect(session.factor_proved_at).to.be.a('string');
    const { challenge } = await requestChallenge(stack, user);
    const replayed = await answerChallenge(stack, { challenge, code });
    expect(listValidationErrors(replayed)).to.deep.equal(['code wrong']);
    expect(replayed.headers['set-cookie']).to.equal(undefined);
  });

  it('of concurrent sign-ins with the same code only one succeeds', async () => {
    const { user, app } = await createPersonWithFactor(stack, tenant.id);
    const code = app.takeCode();
    const challenges = await Promise.all([1, 2, 3].map(() => requestChallenge(stack, user)));
    const responses = await Promise.all(
      challenges.map(({ challenge }) => answerChallenge(stack, { challenge, code })),
    );
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([200, 400, 400]);
  });

  it('a recovery code finishes a sign-in once, whatever its case and its hyphens', async () => {
    const { user, recoveryCodes } = await createPersonWithFactor(stack, tenant.id);
    const [code = ''] = recoveryCodes;
    const person = await signInWithFactor(stack, user, {
      recovery_code: ` ${code.toUpperCase().replaceAll('-', ' ')} `,
    });
    const items = (await person.get('/me/factors')).body.data.items as { codes_left: number | null }[];
    expect(items.find((item) => item.codes_left !== null)?.codes_left).to.equal(9);
    const { challenge } = await requestChallenge(stack, user);
    const replayed = await answerChallenge(stack, { challenge, recovery_code: code });
    expect(listValidationErrors(replayed)).to.deep.equal(['recovery_code wrong']);
  });

  it('the challenge of a sign-in creates one session at most', async () => {
    const { user, app, recoveryCodes } = await createPersonWithFactor(stack, tenant.id);
    const { challenge } = await requestChallenge(stack, user);
    expect((await answerChallenge(stack, { challenge, code: app.takeCode() })).status).to.equal(200);
    const second = await answerChallenge(stack, { challenge, recovery_code: recoveryCodes[0] });
    expectError(second, 401, 'unauthorized');
    expect(second.headers['set-cookie']).to.equal(undefined);
  });

  it('the second step of a sign-in fails after a new password or a deactivation, and with a foreign challenge', async () => {
    const admin = await openSession(stack, { tenantId: tenant.id });
    const changed = await createPersonWithFactor(stack, tenant.id, { role: 'admin' });
    const left = await createPersonWithFactor(stack, tenant.id, { role: 'admin' });
    const [one, other] = [
      await requestChallenge(stack, changed.user),
      await requestChallenge(stack, left.user),
    ];
    const password = 'another long password';
    expect((await admin.patch(`/users/${changed.user.id}`, { password })).status).to.equal(200);
    expect((await admin.delete(`/users/${left.user.id}`)).status).to.equal(200);
    const headers = useNetwork();
    const answers = [
      { challenge: one.challenge, code: changed.app.takeCode() },
      { challenge: other.challenge, code: left.app.takeCode() },
      { challenge: `${one.challenge}x`, code: changed.app.takeCode() },
      { challenge: 'v1.a.b.c', code: '123456' },
    ];
    for (const body of answers) expectError(await answerChallenge(stack, body, headers), 401, 'unauthorized');
  });

  it('POST /session/factor names every validation error of its body', async () => {
    const headers = useNetwork();
    const none = await answerChallenge(stack, { code: '1'.repeat(21) }, headers);
    expect(listValidationErrors(none)).to.deep.equal(['challenge required', 'code max']);
    const { user } = await createPersonWithFactor(stack, tenant.id);
    const { challenge } = await requestChallenge(stack, user);
    for (const proof of [{}, { code: '123456', recovery_code: 'a' }]) {
      const response = await answerChallenge(stack, { challenge, ...proof }, headers);
      expect(listValidationErrors(response)).to.deep.equal([' exactly_one']);
    }
    const passkey = await answerChallenge(stack, { challenge, passkey: { id: 'x', response: 'y' } }, headers);
    expect(listValidationErrors(passkey)).to.deep.equal(['passkey wrong']);
  });

  it('after five wrong codes at sign-in, even the right code is refused for a minute', async () => {
    const { user, app } = await createPersonWithFactor(stack, tenant.id);
    const headers = useNetwork();
    const { challenge } = await requestChallenge(stack, user);
    const guess = (code: string) => answerChallenge(stack, { challenge, code }, headers);
    for (let tries = 0; tries < 5; tries += 1)
      expect(listValidationErrors(await guess(app.inventCode()))).to.deep.equal(['code wrong']);
    expectError(await guess(app.takeCode()), 429, 'rate_limited');
  });

  it('a wrong code after the right password leaves an audit entry, which does not contain the code', async () => {
    const own = await stack.createTenant();
    const { user, app } = await createPersonWithFactor(stack, own.id);
    const { challenge } = await requestChallenge(stack, user);
    const code = app.inventCode();
    expect((await answerChallenge(stack, { challenge, code }, useNetwork())).status).to.equal(400);
    const { items } = (await own.client.get('/audit-log?action=session.factor_refused')).body.data;
    expect(items).to.have.length(1);
    expect(items[0]).to.deep.include({ outcome: 'denied', entity_type: 'session' });
    expect(items[0].actor).to.deep.include({ type: 'user', id: user.id });
    expect(JSON.stringify(items)).to.not.include(code).and.not.include(challenge);
  });

  it('somebody who has the password and guesses codes cannot lock the person out of a network that the person has used', async () => {
    const { user, app } = await createPersonWithFactor(stack, tenant.id);
    const own = useNetwork();
    const { challenge } = await requestChallenge(stack, user);
    expect((await answerChallenge(stack, { challenge, code: app.takeCode() }, own)).status).to.equal(200);
    const attack = await requestChallenge(stack, user);
    const statuses: number[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      const body = { challenge: attack.challenge, code: app.inventCode() };
      statuses.push((await answerChallenge(stack, body, useNetwork())).status);
    }
    expect(statuses).to.include(429);
    const next = await requestChallenge(stack, user);
    const response = await answerChallenge(stack, { challenge: next.challenge, code: app.takeCode() }, own);
    expect(response.status, response.text).to.equal(200);
  });

  it('POST /session/factor from a page of another site is refused', async () => {
    const { user, app } = await createPersonWithFactor(stack, tenant.id);
    const { challenge } = await requestChallenge(stack, user);
    const body = { challenge, code: app.takeCode() };
    expectError(await answerChallenge(stack, body, { origin: 'https://evil.example' }), 403, 'forbidden');
    expect((await answerChallenge(stack, body, { origin: stack.origin })).status).to.equal(200);
  });

  it('a person without a second factor signs in by POST /session alone', async () => {
    const user = await createUser(stack, tenant.id);
    const response = await requestSession(stack.origin, { email: user.email, password: user.password });
    expect(response.status, response.text).to.equal(200);
    const person = createSessionClient(stack.origin, readCookie(response));
    expect((await person.get('/session')).body).to.include({ has_factor: false, factor_proved_at: null });
  });
});
