import { expect } from 'chai';
import type { Role } from '../../../shared/contracts/roles.js';
import { hashPassword, sha256 } from '../../../shared/platform/crypto.js';
import { newId } from '../../../shared/platform/ids.js';
import { insertSessions } from '../../../shared/resources/sessions/session-rows.js';
import { mintSessionToken } from '../../../shared/resources/sessions/token.js';
import { TestClient, type TestResponse } from '../client.js';
import type { TestStack } from '../stack.js';

export interface TestUser {
  tenantId: string;
  id: string;
  name: string;
  email: string;
  password: string;
}

export const TEST_PASSWORD = 'long enough for a test';

let serial = 0;
/**
 * Inserts a user, by default an owner, who can sign in with the password. The tenant must be live.
 */
export async function createUser(
  stack: TestStack,
  tenantId: string,
  {
    role = 'owner',
    ...chosen
  }: Partial<Pick<TestUser, 'name' | 'email' | 'password'>> & { role?: Role } = {},
): Promise<TestUser> {
  serial += 1;
  const user = {
    tenantId,
    id: newId(),
    name: 'Olive Operator',
    email: `olive.${serial}@example.com`,
    password: TEST_PASSWORD,
    ...chosen,
  };
  await stack.rows(
    tenantId,
    `insert into users (tenant_id, id, email, name, password_hash, role) values ($1, $2, $3, $4, $5, $6)`,
    [tenantId, user.id, user.email, user.name, await hashPassword(user.password), role],
  );
  return user;
}

/** Sends POST /session. Returns the response, even if it is an error. */
export function requestSession(
  origin: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  return new TestClient(origin, '').post('/session', body, { headers });
}

/** Returns the cookie that a response sets, as `name=value`. */
export function readCookie(response: TestResponse): string {
  const [cookie] = [response.headers['set-cookie'] ?? []].flat();
  return cookie?.split(';')[0] ?? '';
}

/**
 * Creates a client that sends this cookie and an `x-requested-with` header, as a page in a browser
 * does.
 */
export function createSessionClient(
  origin: string,
  cookie: string,
  environment?: 'live' | 'sandbox',
): TestClient {
  const headers = { cookie, 'x-requested-with': 'test' };
  return new TestClient(origin, '', '/v1', {
    ...headers,
    ...(environment ? { 'x-environment': environment } : {}),
  });
}

/**
 * Inserts a session, and returns a client that acts as the session's user. This saves the half
 * second that checking a password takes. If only a tenant is given, creates a user first.
 */
export async function openSession(
  stack: TestStack,
  userOrTenant: TestUser | { tenantId: string },
  environment?: 'live' | 'sandbox',
): Promise<TestClient> {
  const user = 'email' in userOrTenant ? userOrTenant : await createUser(stack, userOrTenant.tenantId);
  const token = mintSessionToken();
  const session = {
    tenant_id: user.tenantId,
    id: newId(),
    user_id: user.id,
    token_hash: sha256(token).toString('hex'),
  };
  await stack.runtime.db.transaction([user.tenantId], (tx) => insertSessions(tx, [session]));
  return createSessionClient(stack.origin, `tow_session=${token}`, environment);
}

/**
 * Signs a user in with the password, and returns a client with the session. If only a tenant is
 * given, creates a user first.
 */
export async function signIn(
  stack: TestStack,
  userOrTenant: TestUser | { tenantId: string },
  environment?: 'live' | 'sandbox',
): Promise<TestClient> {
  const user = 'email' in userOrTenant ? userOrTenant : await createUser(stack, userOrTenant.tenantId);
  const { email, password, tenantId: tenant_id } = user;
  const response = await requestSession(stack.origin, { email, password, tenant_id });
  expect(response.status, response.text).to.equal(200);
  return createSessionClient(stack.origin, readCookie(response), environment);
}
