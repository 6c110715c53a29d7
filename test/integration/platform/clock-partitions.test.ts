import { expect } from 'chai';
import { findPartitionProblems } from '../../../migrations/partitions.js';
import { firstIdAt } from '../../../shared/platform/id-times.js';
import { newId } from '../../../shared/platform/ids.js';
import { openClockQueue } from '../../../shared/queues/clock.js';
import { startClock } from '../../../workers/clock/index.js';
import { eventually } from '../../support/poll.js';
import { useOwnStack } from '../../support/use-stack.js';

const YEAR_MS = 365 * 24 * 3600 * 1000;

describe('partitions kept by the clock', () => {
  const stack = useOwnStack();

  const readGauge = async () =>
    (await fetch(`${stack.origin}/metrics`).then((response) => response.text())).match(
      /^tow_partition_faults (\d+)$/m,
    )?.[1];

  it('the clock creates missing partitions and counts problems that it cannot fix in a metric', async () => {
    const [{ name }] = (await stack.rows<{ name: string }>(
      newId(),
      "select max(relname) as name from pg_class where relname ~ '^webhook_attempts_[0-9]+$'",
    )) as [{ name: string }];
    await stack.runAsOwner(`drop table partitions.${name}`);
    expect(await findPartitionProblems(stack.databaseUrl)).to.deep.equal([`${name} is missing`]);
    const { id } = await stack.createTenant();
    await stack.rows(id, "insert into events (tenant_id, id, type, body) values ($1, $2, 'x.made', '{}')", [
      id,
      firstIdAt(Date.now() + YEAR_MS),
    ]);
    // Start the clock only after the problems exist, because the clock runs every schedule as soon
    // as it starts.
    await startClock(stack.runtime);
    await openClockQueue(stack.runtime).add('keep-partitions', {}, { jobId: newId() });
    await eventually('the metric to count the stray row', async () => (await readGauge()) === '1');
    expect(await findPartitionProblems(stack.databaseUrl)).to.deep.equal([
      'events_default holds rows (1), which are never dropped',
    ]);
  });
});
