import { expect } from 'chai';
import { HookGuard } from '../../../api/public/hooks/hook-guard.js';
import type { ApiContext } from '../../../api/runtime/context.js';
import { createLimiter } from '../../../shared/platform/limits/limiter.js';

describe('bodies of senders without a valid signature', () => {
  const open: (() => void)[] = [];

  /**
   * Creates a request whose body stays incomplete. Adds a function to `open` that completes the
   * body.
   */
  const createSlowRequest = (ip: string): ApiContext => {
    const end = new Promise<void>((resolve) => open.push(resolve));
    const req = {
      destroy: () => undefined,
      async *[Symbol.asyncIterator]() {
        yield Buffer.from('half');
        await end;
      },
    };
    return { ip, req, get: () => '' } as unknown as ApiContext;
  };

  it('of one network hold eight places, and the place of another network stays free', async () => {
    const guard = new HookGuard({} as never);
    const read: string[] = [];
    const reading = Array.from({ length: 30 }, () =>
      guard.readBody(createSlowRequest('192.0.2.1'), () => read.push('stranger')),
    );
    const vendor = guard.readBody(createSlowRequest('198.51.100.1'), () => read.push('vendor'));
    open.at(-1)?.();
    await vendor;
    expect(read).to.deep.equal(['vendor']);
    for (const end of open.slice(0, 8)) end();
    await Promise.all(reading.slice(0, 8));
    expect(read).to.have.length(9);
    for (const end of open) end();
    await Promise.all(reading);
  });

  it('are read one at a time for networks with many bad bodies, so that these cannot hold all places', async () => {
    const guard = new HookGuard(createLimiter(undefined));
    const networks = Array.from({ length: 8 }, (_, index) => `192.0.2.${100 + index}`);
    for (const ip of networks)
      for (let tries = 0; tries < 61; tries += 1) {
        const tooLarge = { ip, req: {}, get: () => `${2 ** 30}` } as unknown as ApiContext;
        expect(await guard.readBody(tooLarge, () => 200).catch(({ status }) => status)).to.equal(413);
      }
    const begun = open.length;
    const slow = networks.flatMap((ip) =>
      Array.from({ length: 8 }, () => guard.readBody(createSlowRequest(ip), () => undefined)),
    );
    const vendor = guard.readBody(createSlowRequest('198.51.100.9'), () => 'read');
    open.at(-1)?.();
    expect(await Promise.race([vendor, new Promise((resolve) => setTimeout(resolve, 500))])).to.equal('read');
    for (const end of open.slice(begun)) end();
    await Promise.all(slow);
  });

  it('wait in a short queue; beyond it they get 429', async () => {
    const guard = new HookGuard({} as never);
    const results = Array.from({ length: 209 }, () =>
      guard.readBody(createSlowRequest('192.0.2.2'), () => 200).catch(({ status }) => status),
    );
    for (const end of open) end();
    const statuses = await Promise.all(results);
    expect(statuses.filter((status) => status === 429)).to.have.length(1);
  });
});
