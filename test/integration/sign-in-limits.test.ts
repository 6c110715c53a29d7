import { expect } from 'chai';
import { expectError } from '../support/expect-error.js';
import { createUser, signIn, type TestUser, trySignIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('guessing a password', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let user: TestUser;

  before(async () => {
    stack = await TestStack.start({ environment: { BAD_CREDENTIALS_PER_MINUTE: '30' } });
    tenant = await stack.createTenant();
    user = await createUser(stack, tenant.id);
  });
  after(() => stack.stop());

  const guess = (email: string, password: string) => trySignIn(stack.origin, { email, password });

  it('ends after 20 tries a minute of one e-mail: then even the right password is not looked at', async () => {
    const guesses = Array.from({ length: 20 }, (_, index) => guess(user.email, `guess ${index}`));
    for (const answer of await Promise.all(guesses)) expectError(answer, 401, 'unauthorized');
    const over = await guess(user.email.toUpperCase(), user.password);
    const [detail] = expectError(over, 429, 'rate_limited');
    expect(detail).to.include({ window: 'minute', limit: 20 });
    expect(Number(over.headers['retry-after'])).to.be.within(1, 60);
    expect(over.headers['set-cookie']).to.equal(undefined);
  });

  it('does not keep out others, with whatever e-mail they come', async () => {
    const other = await createUser(stack, tenant.id);
    expect((await guess(other.email, other.password)).status).to.equal(200);
  });

  it('counts as bad credentials of its address, as wrong keys do; who has the right password is let in', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1)
      statuses.push((await guess(`nobody.${index}@example.com`, 'guess')).status);
    expect(statuses.slice(0, 10)).to.deep.equal(Array(10).fill(401));
    expect(statuses.slice(10)).to.deep.equal([429, 429]);
    expectError(await stack.clientWith('tk_live_wrong').get('/me'), 429, 'rate_limited');
    const other = await createUser(stack, tenant.id);
    expect((await guess(other.email, other.password)).status).to.equal(200);
  });
});

describe('the rate limits of people', () => {
  it('are each their own, and those of the sandbox are apart', async () => {
    const tiers = '{"standard":{"minute":3,"hour":100},"starter":{"minute":2,"hour":100}}';
    const stack = await TestStack.start({ environment: { RATE_LIMIT_TIERS: tiers } });
    try {
      const { id: tenantId } = await stack.createTenant();
      const [one, two] = [await signIn(stack, { tenantId }), await signIn(stack, { tenantId })];
      const statuses = async (environment: string, times: number) => {
        const answers: number[] = [];
        for (let time = 0; time < times; time += 1)
          answers.push((await one.get('/me', { headers: { 'x-environment': environment } })).status);
        return answers;
      };
      expect(await statuses('live', 4)).to.deep.equal([200, 200, 200, 429]);
      expect(await statuses('sandbox', 3)).to.deep.equal([200, 200, 429]);
      expect((await two.get('/me')).status).to.equal(200);
    } finally {
      await stack.stop();
    }
  });
});
