import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import {
  type IntegrationJob,
  type IntegrationsQueue,
  listWokenQueues,
  wakeConnectionQueues,
} from '../../../shared/queues/integrations.js';
import type { WriteJob, WritesQueue } from '../../../shared/queues/writes.js';
import { CommandSender } from '../../../workers/integrations/queue/command-sender.js';
import { buildCommand } from '../../support/writes/commands.js';

/** A queue that keeps the data of its jobs, and refuses those that `refuses` wants. */
function createQueue<Data>(refuses: (nth: number) => boolean = () => false) {
  const jobs: Data[] = [];
  let added = 0;
  const add = async (_name: string, data: Data) => {
    added += 1;
    if (refuses(added)) throw new Error('the queue is unreachable');
    jobs.push(data);
  };
  return { queue: { add } as unknown, jobs };
}

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const build = (): Command => buildCommand('payment.record', newId(), {});

describe('CommandSender', () => {
  it('the first commands leave alone, and those of the next interval share a job', async () => {
    const { queue, jobs } = createQueue<WriteJob>();
    const sender = new CommandSender(queue as WritesQueue, logger);
    const first = build();
    await sender.send([first]);
    const others = [build(), build(), build()];
    await Promise.all(others.map((command) => sender.send([command])));
    expect(jobs.map(({ commands }) => commands)).to.deep.equal([[first], others]);
    expect(jobs.map(({ replyTo }) => replyTo)).to.deep.equal([null, null]);
  });

  it('more commands than one job may have become several jobs', async () => {
    const { queue, jobs } = createQueue<WriteJob>();
    const commands = Array.from({ length: 600 }, build);
    await new CommandSender(queue as WritesQueue, logger).send(commands);
    expect(jobs.map((job) => job.commands.length)).to.deep.equal([256, 256, 88]);
    expect(jobs.flatMap((job) => job.commands)).to.deep.equal(commands);
  });

  it('after a job that could not be added, later commands are sent', async () => {
    const { queue, jobs } = createQueue<WriteJob>((nth) => nth === 1);
    const sender = new CommandSender(queue as WritesQueue, logger);
    await sender.send([build()]);
    const later = build();
    await sender.send([later]);
    expect(jobs.map(({ commands }) => commands)).to.deep.equal([[later]]);
  });
});

describe('wakeConnectionQueues', () => {
  it('connections share wake-up jobs, and each connection is woken once', async () => {
    const { queue, jobs } = createQueue<IntegrationJob>();
    const refs = Array.from({ length: 130 }, () => ({ tenantId: newId(), connectionId: newId() }));
    await wakeConnectionQueues(queue as IntegrationsQueue, refs);
    expect(jobs).to.have.length(3);
    expect(jobs.flatMap(listWokenQueues)).to.have.deep.members(refs);
  });
});
