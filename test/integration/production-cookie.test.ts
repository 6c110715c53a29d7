import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { expectError } from '../support/expect-error.js';
import { cookieOf, createUser, personWith, type TestUser, trySignIn } from '../support/sign-in.js';
import { TestStack } from '../support/stack.js';

describe('the cookie of a session in production', () => {
  let stack: TestStack;
  let user: TestUser;

  before(async () => {
    const SECRET_KEY = randomBytes(48).toString('base64');
    const environment = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com', SECRET_KEY };
    stack = await TestStack.start({ environment });
    user = await createUser(stack, (await stack.createTenant()).id);
  });
  after(() => stack.stop());

  it('is Secure with the prefix __Host-, out of reach of scripts and of other hosts, on a plain connection too', async () => {
    const answer = await trySignIn(stack.origin, user);
    expect(answer.status, answer.text).to.equal(200);
    const [name, ...attributes] = String(answer.headers['set-cookie']).split('; ');
    expect(name).to.match(/^__Host-tow_session=tk_session_/);
    expect(attributes.filter((attribute) => !attribute.startsWith('Expires='))).to.have.members([
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      'Secure',
    ]);
  });

  it('opens the account under that name alone: another host of the domain could plant the bare one', async () => {
    const cookie = cookieOf(await trySignIn(stack.origin, user));
    expect((await personWith(stack.origin, cookie).get('/me')).status).to.equal(200);
    const bare = cookie.replace('__Host-', '');
    expectError(await personWith(stack.origin, bare).get('/me'), 401, 'unauthorized');
  });

  it('is taken away with the same attributes, without which a browser would keep it', async () => {
    const person = personWith(stack.origin, cookieOf(await trySignIn(stack.origin, user)));
    const out = await person.delete('/session');
    expect(out.status, out.text).to.equal(200);
    expect(out.headers['set-cookie']).to.match(
      /^__Host-tow_session=; Path=\/; Expires=Thu, 01 Jan 1970[^;]*; HttpOnly; SameSite=Lax; Secure$/,
    );
  });
});
