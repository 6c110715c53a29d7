import { expect } from 'chai';
import {
  type LeasedQueue,
  type LeaseStore,
  QueueKeeper,
} from '../../../workers/leased-queues/queue-keeper.js';
import { StoreContact } from '../../../workers/leased-queues/store-contact.js';

interface Ref {
  id: string;
}

type Keeper = QueueKeeper<Ref, LeasedQueue<Ref>>;

/**
 * Creates a keeper whose store never grants a lease. Each request to the store adds one entry to
 * `requests`: true if the keeper also asked for leases that have ended without a release.
 */
function createKeeper(contact: StoreContact): { keeper: Keeper; requests: boolean[] } {
  const requests: boolean[] = [];
  const store: LeaseStore<Ref, LeasedQueue<Ref>> = {
    channel: 'test',
    keyOf: ({ id }) => id,
    acquire: async (_db, _leases, takesEnded) => {
      requests.push(takesEnded);
      return [];
    },
    renew: async () => [],
    release: async () => [],
  };
  const runtime = {} as ConstructorParameters<typeof QueueKeeper>[0];
  return { keeper: new QueueKeeper(runtime, store, () => undefined, contact), requests };
}

describe('queue keeper', () => {
  it('asks for queues whose leases have ended while PostgreSQL answers regularly', async () => {
    const { keeper, requests } = createKeeper(new StoreContact(performance.now()));
    await keeper.wake([{ id: 'a' }]);
    expect(requests).to.deep.equal([true]);
  });

  it('asks for no ended leases during an outage of PostgreSQL and directly after it', async () => {
    const { keeper, requests } = createKeeper(new StoreContact(performance.now() - 10_000));
    await keeper.wake([{ id: 'a' }]);
    // The store has answered the first request, so the outage is over.
    await keeper.wake([{ id: 'a' }]);
    expect(requests).to.deep.equal([false, false]);
  });
});
