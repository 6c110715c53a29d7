import { expect } from 'chai';
import { GuardedConnections } from '../../../../shared/platform/primary/guarded-connections.js';
import { KnownPrimary, StalePrimaryError } from '../../../../shared/platform/primary/known-primary.js';
import { PrimaryWatch } from '../../../../shared/platform/primary/primary-watch.js';

const primaryRow = (timeline: number) => ({
  system_identifier: '7301',
  wal_file: `0000000${timeline}0000000000000001`,
});
const STANDBY_ROW = { system_identifier: '7301', wal_file: null };

describe('the watch of the primary', () => {
  const watches: PrimaryWatch[] = [];
  const entries: { level: string; text: string }[] = [];
  const log = (level: string) => (_entry: unknown, text: string) => void entries.push({ level, text });
  const logger = { debug: log('debug'), warn: log('warn'), error: log('error') } as never;

  function watch(primary: KnownPrimary, answer: () => Promise<Record<string, unknown>>): PrimaryWatch {
    const one = new PrimaryWatch({ primary, query: async () => [await answer()], logger });
    watches.push(one);
    return one;
  }
  beforeEach(() => {
    entries.length = 0;
  });
  afterEach(() => {
    for (const one of watches.splice(0)) one.close();
  });

  it('an old primary and a standby are a problem until the address leads to the newest primary', async () => {
    const primary = new KnownPrimary();
    let row: Record<string, unknown> = primaryRow(2);
    const one = watch(primary, async () => row);
    await one.look();
    expect(one.problem).to.equal(undefined);
    row = primaryRow(1);
    await one.look();
    expect(one.problem).to.match(/old primary/);
    row = STANDBY_ROW;
    await one.look();
    expect(one.problem).to.match(/standby/);
    row = primaryRow(3);
    await one.look();
    expect([one.problem, primary.newest?.timeline]).to.deep.equal([undefined, 3]);
  });

  it('a server that does not respond does not keep the process from learning what others have seen', async () => {
    let shared = 1;
    const primary = new KnownPrimary({ read: async () => shared, raise: async () => undefined });
    await primary.admit({ systemIdentifier: '7301', timeline: 1 });
    const one = watch(primary, () => new Promise(() => undefined));
    const wait = () => new Promise((resolve) => setImmediate(resolve));
    void one.look();
    await wait();
    shared = 2;
    void one.look();
    await wait();
    expect(primary.newest?.timeline).to.equal(2);
  });

  it('a Redis that is down does not keep a problem alive', async () => {
    let isDown = false;
    const read = async () => {
      if (isDown) throw new Error('unreachable');
      return 2;
    };
    const primary = new KnownPrimary({ read, raise: async () => undefined });
    await primary.admit({ systemIdentifier: '7301', timeline: 2 });
    let row = primaryRow(1);
    const one = watch(primary, async () => row);
    await one.look();
    expect(one.problem).to.match(/old primary/);
    isDown = true;
    row = primaryRow(2);
    await one.look();
    expect(one.problem).to.equal(undefined);
  });

  it('a server that does not show its timeline is used, with one warning', async () => {
    const refuse = async () => {
      throw Object.assign(new Error('permission denied for function pg_control_system'), { code: '42501' });
    };
    const one = watch(new KnownPrimary(), refuse);
    await one.look();
    await one.look();
    expect(one.problem).to.equal(undefined);
    expect(entries.filter(({ level }) => level === 'warn')).to.have.length(1);

    const connections = new GuardedConnections(new KnownPrimary());
    const connection = {};
    for (let nth = 0; nth < 2; nth += 1) (await connections.guard(connection, refuse))();
  });

  it('a connection that leads to a standby, or that fails, is refused', async () => {
    const connections = new GuardedConnections(new KnownPrimary());
    const guard = (answer: () => Promise<{ rows: Record<string, unknown>[] }>) =>
      connections.guard({}, answer).then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(await guard(async () => ({ rows: [STANDBY_ROW] }))).to.be.instanceOf(StalePrimaryError);
    const lost = Object.assign(new Error('terminated'), { code: '57P01' });
    expect(await guard(() => Promise.reject(lost))).to.equal(lost);
  });
});
