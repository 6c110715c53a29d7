import { expect } from 'chai';
import { enqueueBatch, openWritesQueue } from '../../../shared/queues/writes.js';
import { eventually } from '../../support/poll.js';
import { useStack } from '../../support/use-stack.js';
import { buildCommand } from '../../support/writes/commands.js';

describe('commands of a newer version', () => {
  const stack = useStack();

  it('a command that this version does not know waits, and the others of its job run once', async () => {
    const { id: tenantId, client } = await stack.createTenant();
    const queue = openWritesQueue(stack.runtime);
    const create = (name: string) => buildCommand('customer.create', tenantId, { company_name: name });
    const unknown = buildCommand('spaceship.create', tenantId, { name: 'Enterprise' });
    await enqueueBatch(queue, [create('First'), unknown, create('Second')], null);
    const findJob = async () => {
      const jobs = await queue.getJobs(['delayed', 'waiting', 'active']);
      return jobs.find(({ data }) => JSON.stringify(data).includes(unknown.id));
    };
    await eventually('the job was tried twice', async () => ((await findJob())?.attemptsMade ?? 0) >= 2);
    const { body } = await client.get('/customers');
    const names = body.data.items.map((item: { company_name: string }) => item.company_name);
    expect(names).to.have.members(['First', 'Second']);
    // Remove the job, so that the worker does not try it again during the tests of other files. A
    // running job cannot be removed, so repeat the removal until it succeeds.
    await eventually('the job is removed', async () => {
      await (await findJob())?.remove().catch(() => undefined);
      return (await findJob()) === undefined;
    });
  });
});
