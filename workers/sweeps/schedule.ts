import type { Transaction } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { Interval } from '../../shared/queues/clock.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import type { CommandSweep, RowSweep } from '../../shared/records/sweeps/schedule.js';
import { enqueueCommands } from './enqueue-commands.js';
import {
  DEFAULT_ROWS_PER_PASS,
  splitTenants,
  sweepSets,
  sweepTenantSet,
  sweepTenants,
} from './sweep-tenants.js';

/** Runs a schedule's work once. The clock logs the returned facts. */
export type RunOnce = () => Promise<Record<string, unknown>>;

/** A schedule whose work is more than a plain sweep. */
export interface Task extends Interval {
  /** Called when the clock starts. The returned function can keep facts between its runs. */
  prepare: (runtime: Runtime) => RunOnce;
}

export type Schedule = Task | CommandSweep | RowSweep;

export function prepareSchedule(runtime: Runtime, schedule: Schedule): RunOnce {
  if ('prepare' in schedule) return schedule.prepare(runtime);
  return 'find' in schedule ? prepareCommandSweep(runtime, schedule) : prepareRowSweep(runtime, schedule);
}

function prepareCommandSweep(
  runtime: Runtime,
  { name, find, limit = DEFAULT_ROWS_PER_PASS }: CommandSweep,
): RunOnce {
  const writes = openWritesQueue(runtime);
  return async () => {
    let found = 0;
    await sweepTenants(runtime, name, async (tx) => {
      const commands = await find(tx, limit);
      await enqueueCommands(writes, commands);
      found += commands.length;
    });
    return { found };
  };
}

function prepareRowSweep(runtime: Runtime, { name, changeRows, limit, repeatForMs = 0 }: RowSweep): RunOnce {
  return async () => {
    const endAt = performance.now() + repeatForMs;
    let changed = 0;
    /** The sets that may have more rows to change. In the first round, these are all sets. */
    let unfinished = splitTenants(await runtime.db.listTenantIds());
    let isRepeating = false;
    while (unfinished.length > 0 && (!isRepeating || performance.now() < endAt)) {
      const sets = unfinished;
      unfinished = [];
      await sweepSets(sets, async (tenantIds) => {
        if (isRepeating && performance.now() >= endAt) return;
        let isFull = false;
        const work = async (tx: Transaction) => {
          const count = await changeRows(tx, limit);
          changed += count;
          isFull ||= count >= limit;
        };
        await sweepTenantSet(runtime, { task: name, tenantIds, work });
        if (isFull) unfinished.push([...tenantIds]);
      });
      isRepeating = true;
    }
    return { changed };
  };
}
