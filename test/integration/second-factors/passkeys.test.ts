import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { answerChallenge, requestChallenge } from '../../support/factors/authenticator-app.js';
import { SoftwarePasskey } from '../../support/factors/software-passkey.js';
import { createUser, openSession, TEST_PASSWORD, type TestUser } from '../../support/records/sign-in.js';
import { HTTPS_STACK, useStack } from '../../support/use-stack.js';

const origin = 'https://tow.example.com';

describe('passkeys', () => {
  const stack = useStack(HTTPS_STACK);
  let user: TestUser;
  let client: TestClient;
  let passkey: SoftwarePasskey;

  beforeEach(async () => {
    user = await createUser(stack, (await stack.createTenant()).id);
    client = await openSession(stack, user);
    passkey = new SoftwarePasskey();
  });

  const begin = async () => {
    const body = { kind: 'passkey', name: 'Office computer', password: TEST_PASSWORD };
    const response = await client.post('/me/factors', body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const confirm = (id: string, response: object) =>
    client.post(`/me/factors/${id}/confirm`, { passkey: response });
  const add = async (counter = 0) => {
    const { id, passkey: options } = await begin();
    const confirmed = await confirm(id, passkey.create(options, { origin, counter }));
    expect(confirmed.status, confirmed.text).to.equal(200);
    return confirmed.body;
  };
  const askSignIn = async () => {
    const { challenge, passkey: options } = await requestChallenge(stack, user);
    return { challenge, options: options as { challenge: string } };
  };

  it('a person adds a passkey and signs in with it, once for each challenge', async () => {
    expect((await add()).recovery_codes).to.have.length(10);
    const { challenge, options } = await askSignIn();
    const body = { challenge, passkey: passkey.use(options, { origin }) };
    expect((await answerChallenge(stack, body)).status).to.equal(200);
    expectError(await answerChallenge(stack, body), 401, 'unauthorized');
    const next = await askSignIn();
    const replayed = await answerChallenge(stack, { ...body, challenge: next.challenge });
    expect(listValidationErrors(replayed)).to.deep.equal(['passkey wrong']);
  });

  it('a new passkey needs user verification, this origin, this host and its own challenge', async () => {
    const { id, passkey: options } = await begin();
    const other = (await begin()).passkey;
    const wrong = [
      passkey.create(options, { origin, isUserVerified: false }),
      passkey.create(options, { origin: 'https://evil.example' }),
      passkey.create({ ...options, rp: { id: 'evil.example' } }, { origin }),
      passkey.create(other, { origin }),
    ];
    for (const response of wrong)
      expect(listValidationErrors(await confirm(id, response))).to.deep.equal(['passkey wrong']);
    expect((await confirm(id, passkey.create(options, { origin }))).status).to.equal(200);
  });

  it('a sign-in with a passkey needs user verification, this origin, this host and the key of the passkey', async () => {
    await add();
    const { challenge, options } = await askSignIn();
    const forged = new SoftwarePasskey().use(options, { origin });
    const wrong = [
      passkey.use(options, { origin, isUserVerified: false }),
      passkey.use(options, { origin: 'https://evil.example' }),
      passkey.use({ ...options, rpId: 'evil.example' }, { origin }),
      { ...forged, id: passkey.id, rawId: passkey.id },
    ];
    for (const response of wrong) {
      const refused = await answerChallenge(stack, { challenge, passkey: response });
      expect(listValidationErrors(refused)).to.deep.equal(['passkey wrong']);
    }
  });

  it('a passkey whose counter goes back is refused, because it may be a copy', async () => {
    await add(5);
    for (const [counter, status] of [
      [6, 200],
      [6, 400],
      [3, 400],
      [7, 200],
    ] as const) {
      const { challenge, options } = await askSignIn();
      const answer = { challenge, passkey: passkey.use(options, { origin, counter }) };
      expect((await answerChallenge(stack, answer)).status, `counter ${counter}`).to.equal(status);
    }
  });

  it('a passkey challenge from GET /session/challenge works once, and only in its session', async () => {
    await add();
    const ask = async () => (await client.get('/session/challenge')).body;
    const { challenge, passkey: options } = await ask();
    const body = { challenge, passkey: passkey.use(options, { origin }) };
    const other = await openSession(stack, user);
    expect(listValidationErrors(await other.post('/session/confirm', body))).to.deep.equal(['passkey wrong']);
    expect((await client.post('/session/confirm', body)).status).to.equal(200);
    expect(listValidationErrors(await client.post('/session/confirm', body))).to.deep.equal([
      'passkey wrong',
    ]);
    const { challenge: _challenge, ...without } = body;
    expect(listValidationErrors(await client.post('/session/confirm', without))).to.deep.equal([
      'passkey wrong',
    ]);
  });

  it('the same passkey is not added twice', async () => {
    await add();
    const { id, passkey: options } = await begin();
    expect(options.excludeCredentials.map((one: { id: string }) => one.id)).to.deep.equal([passkey.id]);
    expectError(await confirm(id, passkey.create(options, { origin })), 409, 'conflict');
  });
});

describe('passkeys without a host name', () => {
  const stack = useStack();

  it('a service that is opened by its IP address offers no passkeys, and says why', async () => {
    const client = await openSession(stack, { tenantId: (await stack.createTenant()).id });
    const body = { kind: 'passkey', name: 'Office computer', password: TEST_PASSWORD };
    expectError(await client.post('/me/factors', body), 409, 'conflict');
  });
});
