import type { Job } from 'bullmq';
import { expect } from 'chai';
import pino from 'pino';
import { newId } from '../../../shared/platform/ids.js';
import { openQueue, openWorker } from '../../../shared/queues/backend.js';
import { type ClockJob, openClockQueue } from '../../../shared/queues/clock.js';
import { readScheduleRuns } from '../../../shared/queues/schedule-runs.js';
import { startClock } from '../../../workers/clock/index.js';
import { createClockProcessor, SCHEDULES } from '../../../workers/clock/processor.js';
import { eventually } from '../../support/poll.js';
import { useOwnStack } from '../../support/use-stack.js';

type Entry = Record<string, unknown>;

describe('failed jobs', () => {
  const stack = useOwnStack();
  const entries: Entry[] = [];

  before(async () => {
    const sink = { write: (sample: string) => void entries.push(JSON.parse(sample) as Entry) };
    stack.runtime.logger = pino({ level: 'warn' }, sink);
  });

  const readFailedCount = async (labels: string): Promise<number> => {
    const page = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
    const sample = page.split('\n').find((text) => text.startsWith(`tow_jobs_failed_total{${labels}}`));
    return Number(sample?.split(' ').at(-1) ?? 0);
  };
  const listErrors = (queue: string) =>
    entries.filter((entry) => entry.level === 50 && entry.queue === queue && entry.jobId !== undefined);

  it('a failed job of any queue is logged with queue, name and cause, and is counted', async () => {
    const queue = openQueue(stack.runtime, 'failing', { attempts: 1, removeOnFail: true });
    const fail = async () => {
      throw new Error('the cause of it');
    };
    openWorker(stack.runtime, 'failing', fail, { concurrency: 1 });
    for (const name of ['first', 'second']) await queue.add(name, {}, { jobId: newId() });
    await eventually('both are logged', () => listErrors('failing').length === 2);
    expect(listErrors('failing').map(({ job }) => job)).to.have.members(['first', 'second']);
    for (const entry of listErrors('failing')) {
      expect(entry.msg).to.equal('a job failed and is not tried again');
      expect((entry.err as Entry).message).to.equal('the cause of it');
    }
    expect(await readFailedCount('queue="failing",name="first",final="yes"')).to.equal(1);
  });

  it('a retried job is logged on its first and its last failure, and every failure is counted', async () => {
    const queue = openQueue(stack.runtime, 'retrying', {
      attempts: 5,
      removeOnFail: true,
      backoff: { type: 'fixed', delay: 50 },
    });
    const fail = async () => {
      throw new Error('still unreachable');
    };
    openWorker(stack.runtime, 'retrying', fail, { concurrency: 1 });
    await queue.add('batch', {}, { jobId: newId() });
    await eventually(
      'the last attempt is counted',
      async () => (await readFailedCount('queue="retrying",name="batch",final="yes"')) === 1,
    );
    expect(await readFailedCount('queue="retrying",name="batch",final="no"')).to.equal(4);
    expect(listErrors('retrying').map(({ msg }) => msg)).to.deep.equal([
      'a job failed and is tried again',
      'a job failed and is not tried again',
    ]);
  });

  it("a failed clock job is logged, and /readyz returns each schedule's last success and lateness", async () => {
    await stack.createTenant();
    await stack.createTenant();
    await stack.runAsOwner('alter table impounds rename column free_days to days_away');
    await startClock(stack.runtime);
    const readReadiness = async () => (await (await fetch(`${stack.origin}/readyz`)).json()) as Entry;
    const readSchedules = async () =>
      ((await readReadiness()).schedules ?? {}) as Record<
        string,
        { ok: boolean; last_succeeded_at: string | null }
      >;
    await eventually('the failure is logged', () => listErrors('clock').length > 0);
    const [entry] = listErrors('clock') as [Entry];
    expect(entry.job).to.equal('accrue-storage');
    expect((entry.err as Entry).message).to.match(/column i\.free_days does not exist/);
    await eventually('the other schedules have succeeded', async () =>
      Object.entries(await readSchedules()).every(
        ([name, run]) => name === 'accrue-storage' || run.last_succeeded_at !== null,
      ),
    );
    expect(Object.keys(await readSchedules())).to.have.members(SCHEDULES.map(({ name }) => name));
    expect((await readSchedules())['accrue-storage']).to.deep.include({ ok: true, last_succeeded_at: null });
    // This schedule has never succeeded, so it is late a day after `known_since`.
    await stack.runAsOwner(
      "update clock.schedule_runs set known_since = now() - interval '1 day' where schedule = 'accrue-storage'",
    );
    expect((await readSchedules())['accrue-storage']).to.deep.include({ ok: false });
    const metrics = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
    expect(metrics).to.match(/^tow_schedule_age_seconds\{schedule="mark-overdue"\} \d+$/m);
    expect(metrics).to.not.include('schedule="accrue-storage"');
    expect(JSON.stringify(await readReadiness()), '/readyz needs no key').to.not.include('free_days');
    const run = (await readScheduleRuns(stack.runtime.db, SCHEDULES)).find(
      (one) => one.schedule === 'accrue-storage',
    );
    expect(run).to.include({ is_late: true, last_succeeded_at: null, age_seconds: null });
    expect(run?.last_error).to.match(/free_days/);

    await stack.runAsOwner('alter table impounds rename column days_away to free_days');
    await openClockQueue(stack.runtime).add('accrue-storage', {}, { jobId: newId() });
    await eventually('the schedule has succeeded', async () => (await readSchedules())['accrue-storage']?.ok);
  });

  it('the clock skips schedules that only another version has, and warns of each once', async () => {
    const run = createClockProcessor(stack.runtime);
    for (const name of ['of-a-newer-version', 'of-a-newer-version', 'of-another'])
      await run({ name, data: {} } as Job<ClockJob>, '');
    const warned = entries.filter(({ msg }) => msg === 'the clock skips a schedule of another version');
    expect(warned.map(({ level, schedule }) => [level, schedule])).to.deep.equal([
      [40, 'of-a-newer-version'],
      [40, 'of-another'],
    ]);
  });
});
