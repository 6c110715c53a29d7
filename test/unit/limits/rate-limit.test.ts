import { expect } from 'chai';
import { loadConfig, type TierLimits } from '../../../shared/config/config.js';
import type { Principal } from '../../../shared/contracts/principal.js';
import { createLimiter } from '../../../shared/platform/limits/limiter.js';
import { countRequest } from '../../../shared/resources/api-keys/rate-limit.js';

const SECRET_KEY = 'a secret key that is long enough for anybody';
const RATE_LIMIT_TIERS = '{"standard":{"minute":2,"hour":1000},"starter":{"minute":1,"hour":1000}}';
const RATE_LIMIT_PEOPLE = '{"minute":2,"hour":1000}';

describe('countRequest', () => {
  const person = (id: string, tenantId = 'a') =>
    ({ id, kind: 'user', tenantId, tier: 'standard', accountTier: 'standard' }) as Principal;

  it('a person has 600 requests a minute in a starter account, and neither uses up the calls of its keys nor the reverse', async () => {
    const runtime = { limiter: createLimiter(undefined), config: loadConfig('all', { SECRET_KEY }) };
    const starter = { tenantId: 'a', tier: 'starter', accountTier: 'starter' } as Principal;
    const send = async (principal: Principal, times: number) => {
      for (let nth = 1; nth < times; nth += 1) await countRequest(runtime, principal);
      return (await countRequest(runtime, principal)).refusal?.message;
    };
    const clicking = { ...starter, id: 'p', kind: 'user' } as Principal;
    const key = { ...starter, id: 'k', kind: 'api' } as Principal;
    expect(await send(clicking, 600)).to.equal(undefined);
    expect(await send(clicking, 1)).to.include('the limit of one person of 600 requests per minute');
    expect(await send(key, 60)).to.equal(undefined);
    expect(await send(key, 1)).to.include('the starter limit of 60 requests per minute');
    for (const id of ['p2', 'p3', 'p4', 'p5'])
      expect(await send({ ...clicking, id }, 600)).to.equal(undefined);
    const over = await send({ ...clicking, id: 'p6' }, 1);
    expect(over).to.include('the account-wide user limit of 3000 requests per minute');
    expect(await send({ ...key, id: 'k2' }, 1)).to.equal(undefined);
  });

  it('the users of an account together get twenty times its tier, apart from other accounts', async () => {
    const config = loadConfig('all', { SECRET_KEY, RATE_LIMIT_TIERS, RATE_LIMIT_PEOPLE });
    const runtime = { limiter: createLimiter(undefined), config };
    for (let nth = 0; nth < 20; nth += 1) {
      for (let time = 0; time < 2; time += 1)
        expect((await countRequest(runtime, person(`p${nth}`))).refusal, `person ${nth}`).to.equal(undefined);
    }
    const { refusal } = await countRequest(runtime, person('one too many'));
    expect(refusal?.message).to.include('the account-wide user limit of 40 requests per minute');
    expect((await countRequest(runtime, person('other', 'b'))).refusal).to.equal(undefined);
  });

  it('user and account are counted concurrently while the user is far from the limit, else in turn', async () => {
    const config = loadConfig('all', {
      SECRET_KEY,
      RATE_LIMIT_TIERS: '{"standard":{"minute":10,"hour":1000}}',
      RATE_LIMIT_PEOPLE,
    });
    const limiter = createLimiter(undefined);
    const calls: string[] = [];
    const runtime = {
      config,
      limiter: {
        ...limiter,
        consume: async (key: string, limits: TierLimits) => {
          calls.push(key.startsWith('people/') ? 'account' : 'person');
          const decision = await limiter.consume(key, limits);
          calls.push('counted');
          return decision;
        },
      },
    };
    const sequences: string[] = [];
    for (let nth = 1; nth <= 11; nth += 1) {
      await countRequest(runtime, person('busy'));
      sequences.push(calls.splice(0).join(' '));
    }
    const sequential = 'person counted account counted';
    // The first request is counted for the person and then for the account, because no count is
    // known yet. The tenth request is counted in this sequence too, because it reaches the person's
    // limit. The eleventh exceeds this limit, so it does not count for the account.
    expect(sequences[0]).to.equal(sequential);
    expect(new Set(sequences.slice(1, 9))).to.deep.equal(new Set(['person account counted counted']));
    expect(sequences.slice(9)).to.deep.equal([sequential, 'person counted']);
  });
});
