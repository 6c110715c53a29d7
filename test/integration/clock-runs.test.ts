import { expect } from 'chai';
import pino from 'pino';
import { newId } from '../../shared/platform/ids.js';
import { openQueue, openWorker } from '../../shared/queues/backend.js';
import { openClockQueue, SCHEDULES } from '../../shared/queues/clock.js';
import { readScheduleRuns } from '../../shared/queues/schedule-runs.js';
import { startClock } from '../../workers/clock/index.js';
import { eventually } from '../support/poll.js';
import { TestStack } from '../support/stack.js';

type Entry = Record<string, unknown>;

describe('failed jobs', () => {
  let stack: TestStack;
  const entries: Entry[] = [];

  before(async () => {
    stack = await TestStack.start({ clock: false });
    const sink = { write: (line: string) => void entries.push(JSON.parse(line) as Entry) };
    stack.runtime.logger = pino({ level: 'warn' }, sink);
  });
  after(() => stack.stop());

  const failedCount = async (labels: string): Promise<number> => {
    const page = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
    const line = page.split('\n').find((text) => text.startsWith(`tow_jobs_failed_total{${labels}}`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const errorsOf = (queue: string) =>
    entries.filter((entry) => entry.level === 50 && entry.queue === queue && entry.jobId !== undefined);

  it('of any queue are error entries with queue, name and cause, and are counted', async () => {
    const queue = openQueue(stack.runtime, 'failing', { attempts: 1, removeOnFail: true });
    const fail = async () => {
      throw new Error('the cause of it');
    };
    openWorker(stack.runtime, 'failing', fail, { concurrency: 1 });
    for (const name of ['first', 'second']) await queue.add(name, {}, { jobId: newId() });
    await eventually('both are logged', () => errorsOf('failing').length === 2);
    expect(errorsOf('failing').map(({ job }) => job)).to.have.members(['first', 'second']);
    for (const entry of errorsOf('failing')) {
      expect(entry.msg).to.equal('a job failed and is not tried again');
      expect((entry.err as Entry).message).to.equal('the cause of it');
    }
    expect(await failedCount('queue="failing",name="first",final="yes"')).to.equal(1);
  });

  it('that are tried again are logged at once, and gathered while they go on failing', async () => {
    const queue = openQueue(stack.runtime, 'retrying', {
      attempts: 5,
      removeOnFail: true,
      backoff: { type: 'fixed', delay: 50 },
    });
    const fail = async () => {
      throw new Error('still away');
    };
    openWorker(stack.runtime, 'retrying', fail, { concurrency: 1 });
    await queue.add('batch', {}, { jobId: newId() });
    await eventually(
      'the last attempt is counted',
      async () => (await failedCount('queue="retrying",name="batch",final="yes"')) === 1,
    );
    expect(await failedCount('queue="retrying",name="batch",final="no"')).to.equal(4);
    expect(errorsOf('retrying').map(({ msg }) => msg)).to.deep.equal([
      'a job failed and is tried again',
      'a job failed and is not tried again',
    ]);
  });

  it('of the clock are logged, and /readyz tells the last success of each schedule and which is late', async () => {
    await stack.createTenant();
    await stack.createTenant();
    await stack.asOwner('alter table impounds rename to impounds_away');
    await startClock(stack.runtime);
    const ready = async () => (await (await fetch(`${stack.origin}/readyz`)).json()) as Entry;
    const schedules = async () =>
      ((await ready()).schedules ?? {}) as Record<string, { ok: boolean; last_succeeded_at: string | null }>;
    await eventually('the failure is logged', () => errorsOf('clock').length > 0);
    const [entry] = errorsOf('clock') as [Entry];
    expect(entry.job).to.equal('accrue-storage');
    expect((entry.err as Entry).message).to.match(/relation "impounds" does not exist/);
    await eventually('the other schedules have succeeded', async () =>
      Object.entries(await schedules()).every(
        ([name, run]) => name === 'accrue-storage' || run.last_succeeded_at !== null,
      ),
    );
    expect(Object.keys(await schedules())).to.have.members(Object.keys(SCHEDULES));
    expect((await schedules())['accrue-storage']).to.deep.include({ ok: true, last_succeeded_at: null });
    // It has never succeeded; by now that is long ago.
    await stack.asOwner(
      "update clock.schedule_runs set known_since = now() - interval '1 day' where schedule = 'accrue-storage'",
    );
    expect((await schedules())['accrue-storage']).to.deep.include({ ok: false });
    const metrics = await fetch(`${stack.origin}/metrics`).then((response) => response.text());
    expect(metrics).to.match(/^tow_schedule_age_seconds\{schedule="mark-overdue"\} \d+$/m);
    expect(metrics).to.not.include('schedule="accrue-storage"');
    expect(JSON.stringify(await ready()), 'anybody may read it').to.not.include('impounds');
    const run = (await readScheduleRuns(stack.runtime.db)).find((one) => one.schedule === 'accrue-storage');
    expect(run).to.include({ is_late: true, last_succeeded_at: null, age_seconds: null });
    expect(run?.last_error).to.match(/impounds/);

    await stack.asOwner('alter table impounds_away rename to impounds');
    await openClockQueue(stack.runtime).add('accrue-storage', {}, { jobId: newId() });
    await eventually('it has succeeded', async () => (await schedules())['accrue-storage']?.ok);
  });
});
