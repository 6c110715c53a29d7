import { expect } from 'chai';
import type pg from 'pg';
import {
  type CheckedOutClient,
  SharedReadConnections,
} from '../../../shared/platform/postgres/shared-reads.js';
import { SlowQueries } from '../../../shared/platform/postgres/slow-queries.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** The time of a read. Reads that outlast their test do not keep the process alive. */
const occupy = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** A fake connection that runs one read after the other. The test chooses each read's duration. */
interface FakeClient {
  respond: (ms: number) => Promise<unknown>;
}

/** Uses shared read connections as the database does, but with fake clients. */
class SharedReads {
  open = 0;
  mostOpen = 0;
  planChecks = 0;
  private readonly slowQueries = new SlowQueries();
  private readonly readConnections = new SharedReadConnections(() => this.lease(), this.slowQueries);

  /** Starts a shared read. Returns false if the read needs a separate connection. */
  start(tenantId: string, query: string, ms: number): boolean {
    const read = { tenantId, query };
    this.readConnections.recordStalls();
    if (this.slowQueries.has(read) || this.readConnections.areStalledFor(tenantId)) return false;
    void this.readConnections.run(read, (client) => (client as unknown as FakeClient).respond(ms));
    return true;
  }

  private async lease(): Promise<CheckedOutClient> {
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    let last: Promise<unknown> = Promise.resolve();
    const client: FakeClient = {
      respond: (ms) => {
        last = last.then(() => occupy(ms));
        return last;
      },
    };
    return {
      client: client as unknown as pg.PoolClient,
      discard: () => undefined,
      discardOldPlans: () => {
        this.planChecks += 1;
      },
      release: () => {
        this.open -= 1;
      },
    };
  }
}

describe('read connections shared by reads', () => {
  it('one tenant uses at most three connections, however many different slow queries it sends', async () => {
    const reads = new SharedReads();
    for (let nth = 0; nth < 40; nth += 1) {
      // A new query has no recorded duration yet, so its reads may share a connection. The ten
      // reads of this query keep one connection busy for 2.5 s.
      for (let copy = 0; copy < 10; copy += 1) reads.start('noisy', `query ${nth}`, 250);
      await sleep(125);
    }
    expect(reads.mostOpen).to.be.within(1, 3);
  });

  it('all tenants together use at most four connections', async () => {
    const reads = new SharedReads();
    for (let nth = 0; nth < 50; nth += 1) reads.start(`tenant ${nth}`, 'list', 1);
    await sleep(100);
    expect(reads.mostOpen).to.equal(4);
    expect(reads.open, 'none without running reads').to.equal(0);
  });

  it('cached plans are checked on every read, even while a connection is never idle', async () => {
    const reads = new SharedReads();
    for (let nth = 0; nth < 5; nth += 1) reads.start('steady', 'list', 20);
    await sleep(200);
    expect(reads.planChecks).to.equal(5);
  });
});
