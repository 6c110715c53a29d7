import { expect } from 'chai';
import type pg from 'pg';
import { type Lease, ReadLanes } from '../../shared/platform/postgres-lanes.js';
import { SlowQueries } from '../../shared/platform/postgres-slow-queries.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A connection that answers one read after the other, each after its own time. */
interface FakeClient {
  answer: (ms: number) => Promise<unknown>;
}

/** Read lanes over such connections, asked as the database asks them. */
class Reads {
  open = 0;
  mostOpen = 0;
  planChecks = 0;
  private readonly slowQueries = new SlowQueries();
  private readonly lanes = new ReadLanes(() => this.lease(), this.slowQueries);

  /** False when the read would have gone to a connection of its own. */
  start(tenantId: string, query: string, ms: number): boolean {
    const read = { tenantId, query };
    this.lanes.recordStalls();
    if (this.slowQueries.has(read) || this.lanes.areHeldUp(tenantId)) return false;
    void this.lanes.run(read, (client) => (client as unknown as FakeClient).answer(ms));
    return true;
  }

  private async lease(): Promise<Lease> {
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    let last: Promise<unknown> = Promise.resolve();
    const client: FakeClient = {
      answer: (ms) => {
        last = last.then(() => sleep(ms));
        return last;
      },
    };
    return {
      client: client as unknown as pg.PoolClient,
      discard: () => undefined,
      forgetOldPlans: () => {
        this.planChecks += 1;
      },
      release: () => {
        this.open -= 1;
      },
    };
  }
}

describe('the connections that reads share', () => {
  it('are three at most for one tenant, however many different slow queries it sends', async () => {
    const reads = new Reads();
    for (let nth = 0; nth < 40; nth += 1) {
      // Ten of a query that nobody has seen yet: 2.5 s of work for its connection.
      for (let copy = 0; copy < 10; copy += 1) reads.start('noisy', `query ${nth}`, 250);
      await sleep(125);
    }
    expect(reads.mostOpen).to.be.within(1, 3);
  });

  it('are four at most for all tenants together', async () => {
    const reads = new Reads();
    for (let nth = 0; nth < 50; nth += 1) reads.start(`tenant ${nth}`, 'list', 1);
    await sleep(100);
    expect(reads.mostOpen).to.equal(4);
    expect(reads.open, 'and none when nothing is under way').to.equal(0);
  });

  it('make old plans anew without running empty first', async () => {
    const reads = new Reads();
    for (let nth = 0; nth < 5; nth += 1) reads.start('steady', 'list', 20);
    await sleep(200);
    expect(reads.planChecks).to.equal(5);
  });
});
