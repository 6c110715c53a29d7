import { expect } from 'chai';
import { countTryOfNetwork, countTryOfPerson } from '../../api/sign-in-limits.js';
import { sha256 } from '../../shared/platform/crypto.js';
import type { Answer } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { createUser, signIn, type TestUser, trySignIn } from '../support/sign-in.js';
import { TestStack, type TestTenant } from '../support/stack.js';

/** Holds the checks of passwords that have their turn, but not this person's. */
function holdChecks({ runtime: { limiter } }: TestStack, { email }: TestUser) {
  const own = `sign-in/${sha256(email).toString('base64url')}`;
  const count = limiter.consumeUnlessRefused.bind(limiter);
  const held: (() => void)[] = [];
  // The tries of a person are counted within the turn, before the password is looked at.
  limiter.consumeUnlessRefused = async (key, limits) => {
    if (/^sign-in\/[^/]+$/.test(key) && key !== own) await new Promise<void>((end) => held.push(end));
    return count(key, limits);
  };
  return {
    get held() {
      return held.length;
    },
    endOne: () => held.shift()?.(),
    endAll: () => {
      limiter.consumeUnlessRefused = count;
      for (const end of held.splice(0)) end();
    },
  };
}

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

describe('signing in while somebody else attacks', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start({ environment: { TRUST_PROXY: 'true' } });
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const ATTACKER = '203.0.113.66';
  const HOME = '192.0.2.10';
  const tryFrom = (address: string, { email, password }: { email: string; password: string }) =>
    trySignIn(stack.origin, { email, password }, { 'x-forwarded-for': address });
  /** As a guesser with many addresses leaves the person's count. */
  const useUpTriesOf = async ({ email }: TestUser): Promise<void> => {
    for (let nth = 0; nth < 100; nth += 1) await countTryOfPerson(stack.runtime.limiter, email);
  };
  /** Nobody's password is this one's, and finding that out takes no time. */
  const personWithoutPassword = async (): Promise<TestUser> => {
    const user = await createUser(stack, tenant.id);
    await stack.rows(tenant.id, "update users set password_hash = 'none' where id = $1", [user.id]);
    return user;
  };
  const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

  it('goes on elsewhere after 105 tries of the e-mail from one address', async () => {
    const user = await createUser(stack, tenant.id);
    // Of its 20 tries a minute two are left, so that the others need no check of half a second.
    for (let nth = 0; nth < 18; nth += 1)
      await countTryOfNetwork(stack.runtime.limiter, user.email, ATTACKER);
    const guesses: Answer[] = [];
    for (let nth = 0; nth < 105; nth += 1)
      guesses.push(await tryFrom(ATTACKER, { ...user, password: 'a guess' }));
    expect(statusesOf(guesses)).to.deep.equal([401, 401, ...Array(103).fill(429)]);
    const own = await tryFrom(HOME, user);
    expect(own.status, own.text).to.equal(200);
  });

  it('is bounded for a person over all unknown addresses, and goes on where the person signed in before', async () => {
    const user = await createUser(stack, tenant.id);
    expect((await tryFrom(HOME, user)).status).to.equal(200);
    await useUpTriesOf(user);
    expectError(await tryFrom('198.51.100.1', user), 429, 'rate_limited');
    expect((await tryFrom(HOME, user)).status).to.equal(200);
    expectError(await tryFrom(HOME, { ...user, password: 'a guess' }), 401, 'unauthorized');
  });

  it('gives an address that one account knows no further tries of other accounts with that e-mail', async () => {
    const victim = await createUser(stack, tenant.id, { password: 'the password of the victim' });
    const { id: foreignId } = await stack.createTenant();
    const attacker = await createUser(stack, foreignId, { email: victim.email });
    const [own, other] = ['203.0.113.67', '203.0.113.68'];
    expect((await tryFrom(own, attacker)).status).to.equal(200);
    await useUpTriesOf(victim);
    expectError(await tryFrom(own, victim), 429, 'rate_limited');
    expectError(await tryFrom(other, attacker), 429, 'rate_limited');
    expect((await tryFrom(own, attacker)).status).to.equal(200);
  });

  it('forgets an address 90 days after, and a deactivated person’s at once; no address is stored in clear', async () => {
    const user = await createUser(stack, tenant.id);
    const known = async () => {
      const [row] = await stack.rows<{ known: Record<string, string> }>(
        tenant.id,
        'select sign_in_addresses as known from users where tenant_id = $1 and id = $2',
        [tenant.id, user.id],
      );
      return row?.known ?? {};
    };
    expect((await tryFrom(HOME, user)).status).to.equal(200);
    expect((await tryFrom(HOME, user)).status).to.equal(200);
    expect(Object.keys(await known())).to.have.length(1);
    expect(JSON.stringify(await known())).to.not.include(HOME);
    const age = `update users set sign_in_addresses =
      (select jsonb_object_agg(key, now() - interval '91 days') from jsonb_each(sign_in_addresses)) where id = $1`;
    await stack.rows(tenant.id, age, [user.id]);
    await useUpTriesOf(user);
    expectError(await tryFrom(HOME, user), 429, 'rate_limited');
    await createUser(stack, tenant.id);
    expect((await tenant.client.delete(`/users/${user.id}`)).status).to.equal(200);
    expect(await known()).to.deep.equal({});
  });

  for (const [flooder, addressOf] of [
    ['one address', () => '203.0.113.77'],
    ['one IPv6 /48, each from a /56 of its own', (nth: number) => `2001:db8:1:${nth.toString(16)}00::1`],
  ] as const) {
    it(`is not starved by ${flooder}, that has all places to wait taken`, async () => {
      const user = await createUser(stack, tenant.id);
      const checks = holdChecks(stack, user);
      const flooded = [await personWithoutPassword(), await personWithoutPassword()];
      const statuses: number[] = [];
      const flood = Array.from({ length: 24 }, async (_, nth) => {
        const email = flooded[nth % 2]?.email as string;
        statuses.push((await tryFrom(addressOf(nth), { email, password: 'a guess' })).status);
      });
      try {
        await eventually('a check in each place', () => checks.held === 2);
        await eventually('a refusal: every place to wait is taken', () => statuses.length === 2);
        const own = tryFrom('198.51.100.2', user);
        await eventually('a place for the person', () => statuses.length === 3);
        for (let ended = 1; ended <= 2; ended += 1) {
          checks.endOne();
          await eventually('an end', () => statuses.length === 3 + ended);
        }
        expect((await own).status, 'after two of the others’ checks').to.equal(200);
        expect(statuses).to.deep.equal([503, 503, 503, 401, 401]);
      } finally {
        checks.endAll();
      }
      await Promise.all(flood);
      expect(new Set(statuses)).to.deep.equal(new Set([401, 503]));
    });
  }

  it('leaves other accounts room to set passwords while one sets as many as it can', async () => {
    const [busy, quiet] = [await stack.createTenant(), await stack.createTenant()];
    const [many, one] = [
      await signIn(stack, { tenantId: busy.id }),
      await signIn(stack, { tenantId: quiet.id }),
    ];
    const password = 'long enough for a test';
    const bodyOf = (nth: number) => ({ name: 'N', email: `set.${nth}@example.com`, password });
    const flood = Array.from({ length: 12 }, (_, nth) => many.post('/users', bodyOf(nth)));
    await Promise.any(
      flood.map(async (answer) => {
        if ((await answer).status !== 503) throw new Error('set');
      }),
    );
    const made = await one.post('/users', bodyOf(0));
    expect(made.status, made.text).to.equal(201);
    await Promise.all(flood);
  });
});

describe('signing in', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start({ environment: { TRUST_PROXY: 'true', BAD_CREDENTIALS_PER_MINUTE: '5' } });
  });
  after(() => stack.stop());

  it('is possible while another account sets as many passwords as it can', async () => {
    const [busy, quiet] = [await stack.createTenant(), await stack.createTenant()];
    const [person, user] = [await signIn(stack, { tenantId: busy.id }), await createUser(stack, quiet.id)];
    const headers = { 'x-service-dry-run': 'true' };
    const makings = Array.from({ length: 24 }, (_, nth) => {
      const body = { name: 'N', email: `n${nth}@example.com`, password: 'long enough for a test' };
      return person.post('/users', body, { headers });
    });
    expect((await trySignIn(stack.origin, user)).status).to.equal(200);
    const statuses = (await Promise.all(makings)).map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([200, 503]));
  });

  it('counts requests of an address before it reads them, and takes the address from the proxy alone', async () => {
    const from = (nth: number) => ({ 'x-forwarded-for': `198.51.100.${nth % 250}, 192.0.2.9` });
    const statuses: number[] = [];
    for (let nth = 0; nth < 241; nth += 1)
      statuses.push((await trySignIn(stack.origin, { email: 1 }, from(nth))).status);
    expect(statuses.slice(0, 240)).to.deep.equal(Array(240).fill(400));
    expect(statuses[240]).to.equal(429);
    const wrong: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      const headers = { 'x-forwarded-for': `198.51.100.${nth}, 192.0.2.10` };
      wrong.push((await stack.clientWith('tk_live_wrong').get('/me', { headers })).status);
    }
    expect(wrong).to.deep.equal([401, 401, 401, 401, 401, 429, 429, 429]);
  });

  it('sets a Secure cookie when the proxy has ended TLS', async () => {
    const user = await createUser(stack, (await stack.createTenant()).id);
    const answer = await trySignIn(stack.origin, user, { 'x-forwarded-proto': 'https' });
    expect(String(answer.headers['set-cookie'])).to.include('; Secure');
    expect(String((await trySignIn(stack.origin, user)).headers['set-cookie'])).to.not.include('Secure');
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
