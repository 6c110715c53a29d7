import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import type { TestClient, TestResponse } from '../client.js';
import {
  createSessionClient,
  createUser,
  openSession,
  readCookie,
  requestSession,
  TEST_PASSWORD,
  type TestUser,
} from '../records/sign-in.js';
import type { TestStack } from '../stack.js';

/**
 * An authenticator app. Each valid code that it returns belongs to a later time step than the code
 * before, so no code repeats.
 */
export class AuthenticatorApp {
  readonly #totp: TOTP;
  #step: number;

  constructor(readonly secret: string) {
    this.#totp = new TOTP({ secret: Secret.fromBase32(secret) });
    this.#step = this.#totp.counter() - 2;
  }

  /** Returns an unused code. The product accepts at most three unused codes at the same time. */
  takeCode(): string {
    this.#step = Math.max(this.#step + 1, this.#totp.counter() - 1);
    return this.#totp.generate({ timestamp: this.#step * this.#totp.period * 1000 });
  }

  /** Returns a code that is wrong now and in the neighbouring time steps. */
  inventCode(): string {
    const right = [-1, 0, 1, 2].map((delta) =>
      this.#totp.generate({ timestamp: Date.now() + delta * this.#totp.period * 1000 }),
    );
    return ['111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) as string;
  }
}

export interface TestFactor {
  id: string;
  app: AuthenticatorApp;
  recoveryCodes: string[];
}

/** Starts to add an authenticator app for a signed-in person, but does not confirm it. */
export async function beginTotp(client: TestClient, name = 'Phone'): Promise<TestResponse> {
  return client.post('/me/factors', { kind: 'totp', name, password: TEST_PASSWORD });
}

/** Adds and confirms an authenticator app for a signed-in person with {@link TEST_PASSWORD}. */
export async function addTotp(client: TestClient): Promise<TestFactor> {
  const begun = await beginTotp(client);
  expect(begun.status, begun.text).to.equal(201);
  const app = new AuthenticatorApp(begun.body.secret);
  const { id } = begun.body;
  const confirmed = await client.post(`/me/factors/${id}/confirm`, { code: app.takeCode() });
  expect(confirmed.status, confirmed.text).to.equal(200);
  return { id, app, recoveryCodes: confirmed.body.recovery_codes };
}

export interface PersonWithFactor extends TestFactor {
  user: TestUser;
  client: TestClient;
}

/** Creates a person, and a session in which the person adds and confirms an authenticator app. */
export async function createPersonWithFactor(
  stack: TestStack,
  tenantId: string,
  options: Parameters<typeof createUser>[2] = {},
): Promise<PersonWithFactor> {
  const user = await createUser(stack, tenantId, options);
  const client = await openSession(stack, user);
  return { user, client, ...(await addTotp(client)) };
}

/** Sends the first step of a sign-in. Returns the FactorChallenge of its response. */
export async function requestChallenge(
  stack: TestStack,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
) {
  const response = await requestSession(stack.origin, { email, password });
  expect(response.body?.error?.code, response.text).to.equal('factor_required');
  expect(response.headers['set-cookie']).to.equal(undefined);
  return response.body.error.details[0] as {
    challenge: string;
    kinds: string[];
    passkey: { challenge: string } | null;
  };
}

/** Sends the second step of a sign-in. */
export function answerChallenge(
  stack: TestStack,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return createSessionClient(stack.origin, '').post('/session/factor', body, { headers });
}

/** Signs a person in with password and second factor. */
export async function signInWithFactor(
  stack: TestStack,
  user: TestUser,
  proof: { code: string } | { recovery_code: string },
): Promise<TestClient> {
  const { challenge } = await requestChallenge(stack, user);
  const response = await answerChallenge(stack, { challenge, ...proof });
  expect(response.status, response.text).to.equal(200);
  return createSessionClient(stack.origin, readCookie(response));
}
