import { expect } from 'chai';
import { WaitingWrites } from '../../../shared/queues/batching/waiting-writes.js';

const MIB = 1024 * 1024;

describe('limits on writes that wait for their outcome', () => {
  const enterMany = (waiting: WaitingWrites, tenantId: string, count: number, bytes: number) => {
    for (let nth = 0; nth < count; nth += 1)
      expect(waiting.reserve(tenantId, bytes), `write ${nth} of ${tenantId}`).to.be.a('function');
  };

  it('one tenant has at most 5,000 waiting writes, and other tenants are still accepted', () => {
    const waiting = new WaitingWrites();
    const leave = waiting.reserve('noisy', 1);
    enterMany(waiting, 'noisy', 4999, 1);
    expect(waiting.reserve('noisy', 1)).to.equal(undefined);
    expect(waiting.reserve('quiet', 1)).to.be.a('function');
    leave?.();
    expect(waiting.reserve('noisy', 1)).to.be.a('function');
  });

  it('one tenant has at most 32 MiB of waiting bodies, and other tenants are still accepted', () => {
    const waiting = new WaitingWrites();
    const leave = waiting.reserve('noisy', MIB);
    enterMany(waiting, 'noisy', 31, MIB);
    expect(waiting.reserve('noisy', 1)).to.equal(undefined);
    expect(waiting.reserve('quiet', MIB)).to.be.a('function');
    leave?.();
    expect(waiting.reserve('noisy', MIB)).to.be.a('function');
  });

  it('all tenants together have at most 20,000 waiting writes', () => {
    const waiting = new WaitingWrites();
    for (let tenant = 0; tenant < 10; tenant += 1) enterMany(waiting, `tenant ${tenant}`, 2000, 1);
    expect(waiting.reserve('newcomer', 1)).to.equal(undefined);
  });

  it('all tenants together have at most 256 MiB of waiting bodies', () => {
    const waiting = new WaitingWrites();
    for (let tenant = 0; tenant < 16; tenant += 1) enterMany(waiting, `tenant ${tenant}`, 16, MIB);
    expect(waiting.reserve('newcomer', 1)).to.equal(undefined);
  });
});
