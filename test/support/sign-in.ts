import { expect } from 'chai';
import { hashPassword } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import { type Answer, TestClient } from './client.js';
import type { TestStack } from './stack.js';

export interface TestUser {
  tenantId: string;
  id: string;
  name: string;
  email: string;
  password: string;
}

export const PASSWORD = 'long enough for a test';

let serial = 0;
/** A check takes half a second, so the hash of the usual password is made once. */
let usualHash: Promise<string> | undefined;

function hashOf(password: string): Promise<string> {
  if (password !== PASSWORD) return hashPassword(password);
  usualHash ??= hashPassword(PASSWORD);
  return usualHash;
}

/** Stores a person of a live tenant, who can sign in; name, e-mail and password may be chosen. */
export async function createUser(
  stack: TestStack,
  tenantId: string,
  chosen: Partial<Pick<TestUser, 'name' | 'email' | 'password'>> = {},
): Promise<TestUser> {
  serial += 1;
  const user = {
    tenantId,
    id: newId(),
    name: 'Olive Operator',
    email: `olive.${serial}@example.com`,
    password: PASSWORD,
    ...chosen,
  };
  await stack.rows(
    tenantId,
    'insert into users (tenant_id, id, email, name, password_hash) values ($1, $2, $3, $4, $5)',
    [tenantId, user.id, user.email, user.name, await hashOf(user.password)],
  );
  return user;
}

/** Asks for a session, whatever the answer. */
export function trySignIn(
  origin: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new TestClient(origin, '').post('/session', body, { headers });
}

/** `name=value` of the cookie that an answer sets. */
export function cookieOf(answer: Answer): string {
  const [cookie] = [answer.headers['set-cookie'] ?? []].flat();
  return cookie?.split(';')[0] ?? '';
}

/** A browser's page with this cookie, in one of the two environments. */
export function personWith(origin: string, cookie: string, environment?: 'live' | 'sandbox'): TestClient {
  const headers = { cookie, 'x-requested-with': 'test' };
  return new TestClient(origin, '', '/v1', {
    ...headers,
    ...(environment ? { 'x-environment': environment } : {}),
  });
}

/** Signs a person in and gives the client that acts as them; somebody new when nobody is named. */
export async function signIn(
  stack: TestStack,
  who: TestUser | { tenantId: string },
  environment?: 'live' | 'sandbox',
): Promise<TestClient> {
  const user = 'email' in who ? who : await createUser(stack, who.tenantId);
  const { email, password, tenantId: tenant_id } = user;
  const answer = await trySignIn(stack.origin, { email, password, tenant_id });
  expect(answer.status, answer.text).to.equal(200);
  return personWith(stack.origin, cookieOf(answer), environment);
}
