import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import {
  createSessionClient,
  createUser,
  readCookie,
  requestSession,
  type TestUser,
} from '../../support/records/sign-in.js';
import { useOwnStack } from '../../support/use-stack.js';

describe('the session cookie in production', () => {
  const SECRET_KEY = randomBytes(48).toString('base64');
  const stack = useOwnStack({
    environment: { NODE_ENV: 'production', BASE_URL: 'https://api.example.com', SECRET_KEY },
  });
  let user: TestUser;

  before(async () => {
    user = await createUser(stack, (await stack.createTenant()).id);
  });

  it('POST /session sets a Secure, HttpOnly cookie with the prefix __Host-, even over plain HTTP', async () => {
    const response = await requestSession(stack.origin, user);
    expect(response.status, response.text).to.equal(200);
    const [name, ...attributes] = String(response.headers['set-cookie']).split('; ');
    expect(name).to.match(/^__Host-tow_session=tk_session_/);
    expect(attributes.filter((attribute) => !attribute.startsWith('Expires='))).to.have.members([
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      'Secure',
    ]);
  });

  it('a session cookie without the prefix __Host- is refused, because another host of the domain could set it', async () => {
    const cookie = readCookie(await requestSession(stack.origin, user));
    expect((await createSessionClient(stack.origin, cookie).get('/me')).status).to.equal(200);
    const bare = cookie.replace('__Host-', '');
    expectError(await createSessionClient(stack.origin, bare).get('/me'), 401, 'unauthorized');
  });

  it('DELETE /session clears the cookie with the same attributes, because a browser would otherwise keep it', async () => {
    const person = createSessionClient(stack.origin, readCookie(await requestSession(stack.origin, user)));
    const signedOut = await person.delete('/session');
    expect(signedOut.status, signedOut.text).to.equal(200);
    expect(signedOut.headers['set-cookie']).to.match(
      /^__Host-tow_session=; Path=\/; Expires=Thu, 01 Jan 1970[^;]*; HttpOnly; SameSite=Lax; Secure$/,
    );
  });
});
