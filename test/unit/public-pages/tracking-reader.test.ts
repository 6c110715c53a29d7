import { expect } from 'chai';
import { TrackingReader } from '../../../api/public/tracking/tracking-reader.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Database } from '../../../shared/platform/postgres/database.js';

/** A database that counts its reads, and returns the count as each read's result. */
function createCountingDatabase() {
  const counter = { reads: 0, failures: 0 };
  const read = async () => {
    counter.reads += 1;
    if (counter.failures > 0) {
      counter.failures -= 1;
      throw new Error('connection lost');
    }
    return [{ company: `read ${counter.reads}` }];
  };
  return { counter, reader: new TrackingReader({ read } as unknown as Database) };
}

describe('TrackingReader', () => {
  const target = { tenantId: newId(), workOrderId: newId() };

  it('a thousand watchers of one link cause one read, and those of another link another', async () => {
    const { counter, reader } = createCountingDatabase();
    const all = await Promise.all(Array.from({ length: 1000 }, () => reader.read(target)));
    expect(new Set(all.map((tracked) => tracked?.company))).to.deep.equal(new Set(['read 1']));
    await reader.read(target);
    expect(counter.reads).to.equal(1);
    await reader.read({ ...target, workOrderId: newId() });
    await reader.read({ ...target, tenantId: newId() });
    expect(counter.reads).to.equal(3);
  });

  it('a read that fails reaches its watchers and is not kept', async () => {
    const { counter, reader } = createCountingDatabase();
    counter.failures = 1;
    const all = await Promise.allSettled([reader.read(target), reader.read(target)]);
    expect(all.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect((await reader.read(target))?.company).to.equal('read 2');
  });
});
