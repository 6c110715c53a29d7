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

  it('the commands of one step stay together, and those of a long step share no job', async () => {
    const { queue, jobs } = createQueue<WriteJob>();
    const sender = new CommandSender(queue as WritesQueue, logger);
    const steps = Array.from({ length: 30 }, () => Array.from({ length: 10 }, build));
    const long = Array.from({ length: 600 }, build);
    await Promise.all([...steps, long].map((commands) => sender.send(commands)));
    expect(jobs.map(({ commands }) => commands)).to.have.deep.members([
      long,
      steps.slice(0, 25).flat(),
      steps.slice(25).flat(),
    ]);
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
    expect(jobs).to.have.length(9);
    expect(jobs.flatMap(listWokenQueues)).to.have.deep.members(refs);
  });

  it('the clock wakes one connection by each job, as workers of earlier versions read it', async () => {
    const { queue, jobs } = createQueue<IntegrationJob>();
    const refs = Array.from({ length: 3 }, () => ({ tenantId: newId(), connectionId: newId() }));
    await wakeConnectionQueues(queue as IntegrationsQueue, refs, 1);
    expect(jobs).to.deep.equal(refs);
  });
});
