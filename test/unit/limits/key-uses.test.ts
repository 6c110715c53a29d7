import { mock } from 'node:test';
import { expect } from 'chai';
import pino from 'pino';
import type { Principal } from '../../../shared/contracts/principal.js';
import { Lifecycle } from '../../../shared/platform/lifecycle.js';
import { collectKeyUses } from '../../../shared/queues/key-uses.js';

describe('uses of keys', () => {
  afterEach(() => mock.timers.reset());

  it('a key in constant use is recorded once a minute, with the other keys of its second', () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
    const batches: string[][] = [];
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    const record = collectKeyUses({ lifecycle }, (uses) => batches.push(uses.map(({ id }) => id)));
    for (let second = 0; second < 120; second += 1) {
      for (const id of ['a', 'b']) record({ id, tenantId: 'tenant' } as Principal);
      mock.timers.tick(1_000);
    }
    expect(batches).to.deep.equal([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });
});
