import { expect } from 'chai';
import { ConnectionQueue } from '../../../workers/integrations/queue/connection-queue.js';
import { ReadyQueues } from '../../../workers/integrations/queue/ready-queues.js';
import { StepPermits } from '../../../workers/integrations/queue/step-permits.js';
import { eventually } from '../../support/poll.js';

describe('permits of steps at vendors', () => {
  /**
   * Starts steps that hang, each for a different tenant, until the vendor's permits are used up.
   */
  const hang = (permits: StepPermits, vendor: string) => {
    const ends: (() => void)[] = [];
    for (let index = 0; permits.hasFreePermit(); index += 1) {
      const owner = { vendor, tenantId: `${vendor}-${index}` };
      if (!permits.canStart(owner)) break;
      void permits.run(owner, () => new Promise<void>((resolve) => ends.push(resolve)));
    }
    return ends;
  };

  it('a vendor that hangs for all its accounts leaves half of the quick permits to other vendors', async () => {
    const permits = new StepPermits({ maxSteps: 8, slowMs: 10 }, () => undefined);
    const ends = hang(permits, 'hanging');
    expect(ends).to.have.length(4);
    await eventually('they are slow', async () => permits.countInUse().slow === 4);
    expect(hang(permits, 'hanging'), 'also while its steps use slow permits').to.have.length(0);
    expect(hang(permits, 'other')).to.have.length(4);
    for (const end of ends) end();
    await eventually('the permits are free', async () =>
      permits.canStart({ vendor: 'hanging', tenantId: 'a' }),
    );
  });

  it('a slow step that finds the slow pool full frees its quick permit when the slow pool has room', async () => {
    let freed = 0;
    const permits = new StepPermits({ maxSteps: 8, slowMs: 10 }, () => {
      freed += 1;
    });
    const [ends] = [hang(permits, 'first'), hang(permits, 'second')];
    await eventually('the slow pool is full', async () => permits.countInUse().slow === 8);
    hang(permits, 'third');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(permits.countInUse()).to.deep.equal({ quick: 4, slow: 8 });
    for (const end of ends) end();
    await eventually('the third is slow too', async () => permits.countInUse().quick === 0);
    expect(freed).to.equal(12);
  });

  it('queues of a vendor that may not start leave their turn to those of another vendor', () => {
    const ready = new ReadyQueues();
    const create = (vendor: string, tenantId: string) =>
      new ConnectionQueue({ tenantId, connectionId: `${vendor} of ${tenantId}` }, 'owner', vendor);
    const hanging = create('hanging', 'a');
    const others = [create('other', 'a'), create('other', 'b'), create('other', 'a')];
    for (const queue of [hanging, ...others]) ready.push(queue);
    const served = Array.from({ length: 4 }, () => ready.shift(({ vendor }) => vendor === 'other'));
    expect(served).to.deep.equal([others[0], others[1], others[2], undefined]);
    expect(ready.shift(() => true)).to.equal(hanging);
  });
});
