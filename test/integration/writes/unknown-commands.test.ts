import { expect } from 'chai';
import { enqueueBatch, openWritesQueue } from '../../../shared/queues/writes.js';
import { eventually } from '../../support/poll.js';
import { TestStack } from '../../support/stack.js';
import { buildCommand } from '../../support/writes/commands.js';

describe('commands of a newer version', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start();
  });
  after(() => stack.stop());

  it('a command that this version does not know waits, and the others of its job run once', async () => {
    const { id: tenantId, client } = await stack.createTenant();
    const queue = openWritesQueue(stack.runtime);
    const create = (name: string) => buildCommand('customer.create', tenantId, { company_name: name });
    const unknown = buildCommand('spaceship.create', tenantId, { name: 'Enterprise' });
    await enqueueBatch(queue, [create('First'), unknown, create('Second')], null);
    await eventually('the job was tried twice', async () => {
      const jobs = await queue.getJobs(['delayed', 'waiting', 'active']);
      return jobs.some(({ attemptsMade }) => attemptsMade >= 2);
    });
    const { body } = await client.get('/customers');
    const names = body.data.items.map((item: { company_name: string }) => item.company_name);
    expect(names).to.have.members(['First', 'Second']);
  });
});
