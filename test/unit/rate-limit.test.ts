import { expect } from 'chai';
import type { Principal } from '../../shared/contracts/principal.js';
import { loadConfig, type TierLimits } from '../../shared/platform/config.js';
import { createLimiter } from '../../shared/platform/limiter.js';
import { countRequest } from '../../shared/resources/api-keys/rate-limit.js';

const SECRET_KEY = 'a secret key that is long enough for anybody';
const RATE_LIMIT_TIERS = '{"standard":{"minute":2,"hour":1000},"starter":{"minute":1,"hour":1000}}';

describe('countRequest', () => {
  const person = (id: string, tenantId = 'a') =>
    ({ id, kind: 'user', tenantId, tier: 'standard', accountTier: 'standard' }) as Principal;

  it('holds all people of an account together at twenty times its tier, and no other account', async () => {
    const config = loadConfig('all', { SECRET_KEY, RATE_LIMIT_TIERS });
    const runtime = { limiter: createLimiter(undefined), config };
    for (let nth = 0; nth < 20; nth += 1) {
      for (let time = 0; time < 2; time += 1)
        expect((await countRequest(runtime, person(`p${nth}`))).refusal, `person ${nth}`).to.equal(undefined);
    }
    const { refusal } = await countRequest(runtime, person('one too many'));
    expect(refusal?.message).to.include("all this account's people's limit of 40 requests per minute");
    expect((await countRequest(runtime, person('stranger', 'b'))).refusal).to.equal(undefined);
  });

  it('counts key and account at once while the key is far from its limit, one after the other near it', async () => {
    const config = loadConfig('all', {
      SECRET_KEY,
      RATE_LIMIT_TIERS: '{"standard":{"minute":10,"hour":1000}}',
    });
    const limiter = createLimiter(undefined);
    const begun: string[] = [];
    const runtime = {
      config,
      limiter: {
        ...limiter,
        consume: async (key: string, limits: TierLimits) => {
          begun.push(key.startsWith('people/') ? 'account' : 'person');
          const decision = await limiter.consume(key, limits);
          begun.push('counted');
          return decision;
        },
      },
    };
    const orders: string[] = [];
    for (let nth = 1; nth <= 11; nth += 1) {
      await countRequest(runtime, person('busy'));
      orders.push(begun.splice(0).join(' '));
    }
    const apart = 'person counted account counted';
    // Nothing is known before the first; the tenth of ten is near the limit, the eleventh over it.
    expect(orders[0]).to.equal(apart);
    expect(new Set(orders.slice(1, 9))).to.deep.equal(new Set(['person account counted counted']));
    expect(orders.slice(9)).to.deep.equal([apart, 'person counted']);
  });
});
