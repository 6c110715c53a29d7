import { expect } from 'chai';
import { HookGuard } from '../../../api/public/hook-guard.js';
import type { ApiContext } from '../../../api/runtime/context.js';

describe('bodies of senders without a valid signature', () => {
  const open: (() => void)[] = [];

  /** Creates a request whose body ends only when the test calls its function in `open`. */
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
