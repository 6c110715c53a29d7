import { expect } from 'chai';
import { countNetworkTry, countPersonTry } from '../../../api/runtime/sign-in-limits.js';
import { sha256 } from '../../../shared/platform/crypto.js';
import type { TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { usePasswordCost } from '../../support/password-cost.js';
import { eventually } from '../../support/poll.js';
import { createUser, requestSession, signIn, type TestUser } from '../../support/records/sign-in.js';
import type { TestStack } from '../../support/stack.js';
import {
  LIMITED_STACK,
  LOW_PEOPLE_LIMITS,
  MAX_BAD_CREDENTIALS,
  PROXIED_STACK,
  useStack,
  useTenant,
} from '../../support/use-stack.js';

/** Makes every password check wait until the test releases it, except checks for the given user. */
function holdChecks({ runtime: { limiter } }: TestStack, { email }: TestUser) {
  const own = `sign-in/${sha256(email).toString('base64url')}`;
  const count = limiter.consumeUnlessRefused.bind(limiter);
  const held: (() => void)[] = [];
  // Every password check first counts the person's try, so delaying the count delays the check.
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
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack);
  let user: TestUser;

  before(async () => {
    user = await createUser(stack, tenant.id);
  });

  const headers = { 'x-forwarded-for': '192.0.2.20' };
  const guess = (email: string, password: string) =>
    requestSession(stack.origin, { email, password }, headers);

  it('POST /session refuses an e-mail after 20 tries a minute, even with the right password', async () => {
    const guesses = Array.from({ length: 20 }, (_, index) => guess(user.email, `guess ${index}`));
    for (const response of await Promise.all(guesses)) expectError(response, 401, 'unauthorized');
    const over = await guess(user.email.toUpperCase(), user.password);
    const [detail] = expectError(over, 429, 'rate_limited');
    expect(detail).to.include({ window: 'minute', limit: 20 });
    expect(Number(over.headers['retry-after'])).to.be.within(1, 60);
    expect(over.headers['set-cookie']).to.equal(undefined);
  });

  it('too many tries of one e-mail do not block another e-mail from the same address', async () => {
    const other = await createUser(stack, tenant.id);
    expect((await guess(other.email, other.password)).status).to.equal(200);
  });

  it('wrong passwords and wrong keys count together per address, and the right password still works', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 12; index += 1)
      statuses.push((await guess(`nobody.${index}@example.com`, 'guess')).status);
    expect(statuses.slice(0, 10)).to.deep.equal(Array(10).fill(401));
    expect(statuses.slice(10)).to.deep.equal([429, 429]);
    expectError(await stack.createClient('tk_live_wrong').get('/me', { headers }), 429, 'rate_limited');
    const other = await createUser(stack, tenant.id);
    expect((await guess(other.email, other.password)).status).to.equal(200);
  });
});

describe('signing in during an attack', () => {
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack);

  const ATTACKER = '203.0.113.66';
  const HOME = '192.0.2.10';
  const trySignInFrom = (address: string, { email, password }: { email: string; password: string }) =>
    requestSession(stack.origin, { email, password }, { 'x-forwarded-for': address });
  /** Uses up a person's tries, as an attacker with many addresses would. */
  const useUpTriesOf = async ({ email }: TestUser): Promise<void> => {
    for (let nth = 0; nth < 100; nth += 1) await countPersonTry(stack.runtime.limiter, email);
  };
  /**
   * Creates a person whose stored hash is invalid, so that a password check fails without any
   * hashing.
   */
  const personWithoutPassword = async (): Promise<TestUser> => {
    const user = await createUser(stack, tenant.id);
    await stack.rows(tenant.id, "update users set password_hash = 'none' where id = $1", [user.id]);
    return user;
  };
  const listStatuses = (responses: TestResponse[]) => responses.map(({ status }) => status);

  it('a person can sign in elsewhere after 105 tries of the e-mail from one address', async () => {
    const user = await createUser(stack, tenant.id);
    // Count 18 of the 20 tries a minute directly, so that only two tries below check a password.
    for (let nth = 0; nth < 18; nth += 1) await countNetworkTry(stack.runtime.limiter, user.email, ATTACKER);
    const guesses: TestResponse[] = [];
    for (let nth = 0; nth < 105; nth += 1)
      guesses.push(await trySignInFrom(ATTACKER, { ...user, password: 'a guess' }));
    expect(listStatuses(guesses)).to.deep.equal([401, 401, ...Array(103).fill(429)]);
    const own = await trySignInFrom(HOME, user);
    expect(own.status, own.text).to.equal(200);
  });

  it('tries of an e-mail are limited over all unknown addresses, but not where the person signed in before', async () => {
    const user = await createUser(stack, tenant.id);
    expect((await trySignInFrom(HOME, user)).status).to.equal(200);
    await useUpTriesOf(user);
    expectError(await trySignInFrom('198.51.100.1', user), 429, 'rate_limited');
    expect((await trySignInFrom(HOME, user)).status).to.equal(200);
    expectError(await trySignInFrom(HOME, { ...user, password: 'a guess' }), 401, 'unauthorized');
  });

  it('an address that one account knows gets no extra tries for another account with the same e-mail', async () => {
    const victim = await createUser(stack, tenant.id, { password: 'the password of the victim' });
    const { id: foreignId } = await stack.createTenant();
    const attacker = await createUser(stack, foreignId, { email: victim.email });
    const [own, other] = ['203.0.113.67', '203.0.113.68'];
    expect((await trySignInFrom(own, attacker)).status).to.equal(200);
    await useUpTriesOf(victim);
    expectError(await trySignInFrom(own, victim), 429, 'rate_limited');
    expectError(await trySignInFrom(other, attacker), 429, 'rate_limited');
    expect((await trySignInFrom(own, attacker)).status).to.equal(200);
  });

  it('known addresses are hashed, expire after 90 days and are deleted when the person is deactivated', async () => {
    const user = await createUser(stack, tenant.id, { role: 'admin' });
    const readKnownAddresses = async () => {
      const [row] = await stack.rows<{ known: Record<string, string> }>(
        tenant.id,
        'select sign_in_addresses as known from users where tenant_id = $1 and id = $2',
        [tenant.id, user.id],
      );
      return row?.known ?? {};
    };
    expect((await trySignInFrom(HOME, user)).status).to.equal(200);
    expect((await trySignInFrom(HOME, user)).status).to.equal(200);
    expect(Object.keys(await readKnownAddresses())).to.have.length(1);
    expect(JSON.stringify(await readKnownAddresses())).to.not.include(HOME);
    const age = `update users set sign_in_addresses =
      (select jsonb_object_agg(key, now() - interval '91 days') from jsonb_each(sign_in_addresses)) where id = $1`;
    await stack.rows(tenant.id, age, [user.id]);
    await useUpTriesOf(user);
    expectError(await trySignInFrom(HOME, user), 429, 'rate_limited');
    await createUser(stack, tenant.id);
    expect((await tenant.client.delete(`/users/${user.id}`)).status).to.equal(200);
    expect(await readKnownAddresses()).to.deep.equal({});
  });

  for (const [flooder, addressOf] of [
    ['one address', () => '203.0.113.77'],
    ['one IPv6 /48 with a new /56 per request', (nth: number) => `2001:db8:1:${nth.toString(16)}00::1`],
  ] as const) {
    it(`a person can sign in while ${flooder} fills the queue of password checks`, async () => {
      const user = await createUser(stack, tenant.id);
      const checks = holdChecks(stack, user);
      const flooded = [await personWithoutPassword(), await personWithoutPassword()];
      const statuses: number[] = [];
      const flood = Array.from({ length: 24 }, async (_, nth) => {
        const email = flooded[nth % 2]?.email as string;
        statuses.push((await trySignInFrom(addressOf(nth), { email, password: 'a guess' })).status);
      });
      try {
        await eventually('two running checks', () => checks.held === 2);
        await eventually('two refusals, because the queue is full', () => statuses.length === 2);
        const own = trySignInFrom('198.51.100.2', user);
        await eventually('a refusal that makes room for the person', () => statuses.length === 3);
        for (let ended = 1; ended <= 2; ended += 1) {
          checks.endOne();
          await eventually('the end of a check', () => statuses.length === 3 + ended);
        }
        expect((await own).status, 'after two checks of the flood').to.equal(200);
        expect(statuses).to.deep.equal([503, 503, 503, 401, 401]);
      } finally {
        checks.endAll();
      }
      await Promise.all(flood);
      expect(new Set(statuses)).to.deep.equal(new Set([401, 503]));
    });
  }
});

describe('signing in behind a proxy', () => {
  // The floods below must last longer than one sign-in. With this cost, a hash takes about 60 ms
  // instead of the 2 ms in other tests.
  usePasswordCost(2 ** 14);
  const stack = useStack(PROXIED_STACK);

  it('a person can sign in while another account sets as many passwords as it can', async () => {
    const [busy, quiet] = [await stack.createTenant(), await stack.createTenant()];
    const [person, user] = [await signIn(stack, { tenantId: busy.id }), await createUser(stack, quiet.id)];
    const headers = { 'x-service-dry-run': 'true' };
    const creations = Array.from({ length: 24 }, (_, nth) => {
      const body = { name: 'N', email: `n${nth}@example.com`, password: 'long enough for a test' };
      return person.post('/users', body, { headers });
    });
    expect((await requestSession(stack.origin, user)).status).to.equal(200);
    const statuses = (await Promise.all(creations)).map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([200, 503]));
  });

  it('an account can set a password while another account sets as many as it can', async () => {
    const [busy, quiet] = [await stack.createTenant(), await stack.createTenant()];
    const [floodingPerson, quietPerson] = [
      await signIn(stack, { tenantId: busy.id }),
      await signIn(stack, { tenantId: quiet.id }),
    ];
    const password = 'long enough for a test';
    const bodyOf = (nth: number) => ({ name: 'N', email: `set.${nth}@example.com`, password });
    const flood = Array.from({ length: 12 }, (_, nth) => floodingPerson.post('/users', bodyOf(nth)));
    await Promise.any(
      flood.map(async (response) => {
        if ((await response).status !== 503) throw new Error('set');
      }),
    );
    const made = await quietPerson.post('/users', bodyOf(0));
    expect(made.status, made.text).to.equal(201);
    await Promise.all(flood);
  });

  it('POST /session counts invalid requests per address, and uses only the address that the proxy added', async () => {
    const from = (nth: number) => ({ 'x-forwarded-for': `198.51.100.${nth % 250}, 192.0.2.9` });
    const statuses: number[] = [];
    for (let nth = 0; nth < 241; nth += 1)
      statuses.push((await requestSession(stack.origin, { email: 1 }, from(nth))).status);
    expect(statuses.slice(0, 240)).to.deep.equal(Array(240).fill(400));
    expect(statuses[240]).to.equal(429);
    const wrong: number[] = [];
    for (let nth = 0; nth < MAX_BAD_CREDENTIALS + 3; nth += 1) {
      const headers = { 'x-forwarded-for': `198.51.100.${nth}, 192.0.2.21` };
      wrong.push((await stack.createClient('tk_live_wrong').get('/me', { headers })).status);
    }
    expect(wrong).to.deep.equal([...Array(MAX_BAD_CREDENTIALS).fill(401), 429, 429, 429]);
  });

  it('POST /session sets a Secure cookie when the proxy terminates TLS', async () => {
    const user = await createUser(stack, (await stack.createTenant()).id);
    const response = await requestSession(stack.origin, user, { 'x-forwarded-proto': 'https' });
    expect(String(response.headers['set-cookie'])).to.include('; Secure');
    expect(String((await requestSession(stack.origin, user)).headers['set-cookie'])).to.not.include('Secure');
  });
});

describe('rate limits of signed-in people', () => {
  const stack = useStack(LIMITED_STACK);

  it('each signed-in person has a separate rate limit, with another one for the sandbox', async () => {
    const { id: tenantId } = await stack.createTenant();
    const [one, two] = [await signIn(stack, { tenantId }), await signIn(stack, { tenantId })];
    const statuses = async (environment: string, times: number) => {
      const responses: number[] = [];
      for (let time = 0; time < times; time += 1)
        responses.push((await one.get('/me', { headers: { 'x-environment': environment } })).status);
      return responses;
    };
    const { minute } = LOW_PEOPLE_LIMITS;
    for (const environment of ['live', 'sandbox'])
      expect(await statuses(environment, minute + 1)).to.deep.equal([...Array(minute).fill(200), 429]);
    expect((await two.get('/me')).status).to.equal(200);
  });
});
