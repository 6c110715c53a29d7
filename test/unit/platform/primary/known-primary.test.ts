import { expect } from 'chai';
import { isConnectionError } from '../../../../shared/platform/errors.js';
import { KnownPrimary, StalePrimaryError } from '../../../../shared/platform/primary/known-primary.js';
import type { PrimaryIdentity } from '../../../../shared/platform/primary/primary-identity.js';

const at = (timeline: number, systemIdentifier = '7301'): PrimaryIdentity => ({ systemIdentifier, timeline });

/** Timelines as Redis has them. */
function createShared(timelines: Record<string, number> = {}) {
  return {
    timelines,
    isReachable: true,
    async read(systemIdentifier: string) {
      if (!this.isReachable) throw new Error('unreachable');
      return timelines[systemIdentifier] ?? 0;
    },
    async raise({ systemIdentifier, timeline }: PrimaryIdentity) {
      timelines[systemIdentifier] = Math.max(timeline, timelines[systemIdentifier] ?? 0);
    },
  };
}

async function isAdmitted(primary: KnownPrimary, identity: PrimaryIdentity): Promise<boolean> {
  return primary.admit(identity).then(
    () => true,
    (error: unknown) => {
      expect(error).to.be.instanceOf(StalePrimaryError);
      expect(isConnectionError(error), 'jobs must run again').to.equal(true);
      return false;
    },
  );
}

describe('the newest known primary of PostgreSQL', () => {
  it('an earlier timeline of the same system is refused, a later one replaces the known one', async () => {
    const primary = new KnownPrimary();
    const changes: number[][] = [];
    primary.onChange((from, to) => changes.push([from.timeline, to.timeline]));
    expect(await isAdmitted(primary, at(2))).to.equal(true);
    expect(await isAdmitted(primary, at(1))).to.equal(false);
    expect(await isAdmitted(primary, at(2))).to.equal(true);
    expect(await isAdmitted(primary, at(3))).to.equal(true);
    expect(() => primary.assertNewest(at(2))).to.throw(StalePrimaryError);
    expect(changes).to.deep.equal([[2, 3]]);
  });

  it('another system replaces the known one, and open connections to the earlier one are refused', async () => {
    const primary = new KnownPrimary();
    await primary.admit(at(3));
    expect(await isAdmitted(primary, at(1, '9999'))).to.equal(true);
    expect(() => primary.assertNewest(at(3))).to.throw(StalePrimaryError);
    expect(await isAdmitted(primary, at(4)), 'a connection to the earlier system').to.equal(false);
    expect(primary.newest).to.deep.equal(at(1, '9999'));
  });

  it('a process that knows nothing refuses a timeline that another process has seen replaced', async () => {
    const primary = new KnownPrimary(createShared({ '7301': 2 }));
    expect(await isAdmitted(primary, at(1))).to.equal(false);
    expect(await isAdmitted(primary, at(2))).to.equal(true);
  });

  it('a process that cannot read the shared timeline refuses until it can', async () => {
    const shared = createShared();
    shared.isReachable = false;
    const primary = new KnownPrimary(shared);
    expect(await isAdmitted(primary, at(1))).to.equal(false);
    shared.isReachable = true;
    expect(await isAdmitted(primary, at(1))).to.equal(true);
    shared.isReachable = false;
    expect(await isAdmitted(primary, at(1)), 'later outages of Redis do not matter').to.equal(true);
  });

  it('processes exchange the later timeline, and never lower it', async () => {
    const shared = createShared();
    const [first, second] = [new KnownPrimary(shared), new KnownPrimary(shared)];
    await first.admit(at(1));
    await second.admit(at(1));
    first.learn(at(2));
    await first.exchange();
    expect(shared.timelines).to.deep.equal({ '7301': 2 });
    await second.exchange();
    expect(second.newest).to.deep.equal(at(2));
    await new KnownPrimary(shared).admit(at(1)).catch(() => undefined);
    expect(shared.timelines).to.deep.equal({ '7301': 2 });
  });
});
