import type { Processor } from 'bullmq';
import type { Transaction } from '../../shared/platform/postgres.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import { enqueueBatch, type WritesQueue } from '../../shared/queues/writes.js';
import { touchKeys } from '../../shared/resources/api-keys/queries.js';
import { findDeadlines } from '../../shared/resources/claims/deadlines.js';
import { findOverdue } from '../../shared/resources/invoices/overdue-sweep.js';
import { countPending, leasePending, purgeExpired } from '../../shared/resources/operations/store.js';
import { watchBilling } from './watch-billing.js';

/** Tenants looked at in one transaction. */
const TENANTS_PER_PASS = 500;
/** A re-submitted operation gets this long before it is submitted again: longer than a stalled job needs to come back. */
const LEASE_SECONDS = 20;
const COMMANDS_PER_PASS = 256;
const PURGED_PER_PASS = 5000;

/** What each job of the clock's queue does. */
export function createClockProcessor(runtime: Runtime, writes: WritesQueue): Processor<ClockJob> {
  const tasks: Record<string, (data: ClockJob) => Promise<Record<string, unknown>>> = {
    'resubmit-operations': () => resubmitOperations(runtime, writes),
    'mark-overdue': () => markOverdue(runtime, writes),
    'watch-billing': () => watchBilling(runtime, writes),
    'watch-claims': () => watchClaims(runtime, writes),
    'purge-expired': () => purge(runtime),
    'touch-keys': async ({ uses = [] }) => {
      await touchKeys(runtime.db, uses);
      return { keys: uses.length };
    },
  };
  return async (job) => {
    const task = tasks[job.name];
    if (!task) throw new Error(`the clock has no task ${job.name}`);
    const startedAt = performance.now();
    const facts = await task(job.data);
    runtime.logger.debug(
      { jobId: job.id, task: job.name, ...facts, ms: Math.round(performance.now() - startedAt) },
      'clock',
    );
  };
}

/** Runs a sweep over all tenants, some hundred at a time, each chunk in a transaction that sees only these. */
async function forEachChunk(runtime: Runtime, work: (tx: Transaction) => Promise<void>): Promise<void> {
  const tenants = await runtime.db.tenantIds();
  for (let start = 0; start < tenants.length; start += TENANTS_PER_PASS) {
    await runtime.db.transaction(tenants.slice(start, start + TENANTS_PER_PASS), work);
  }
}

/** Gives pending operations back to the queue: those whose job was lost, or never taken. One that has run meanwhile is a no-op. */
async function resubmitOperations(runtime: Runtime, writes: WritesQueue): Promise<Record<string, unknown>> {
  let resubmitted = 0;
  let pending = 0;
  await forEachChunk(runtime, async (tx) => {
    const commands = await leasePending(tx, { leaseSeconds: LEASE_SECONDS, limit: COMMANDS_PER_PASS });
    // Inside the transaction: should the queue be away, the lease is not taken and the next tick tries again.
    if (commands.length > 0) await enqueueBatch(writes, commands, null);
    resubmitted += commands.length;
    pending += await countPending(tx);
  });
  runtime.metrics.pendingOperations.set(pending);
  if (resubmitted > 0) runtime.logger.info({ resubmitted, pending }, 'operations given back to the queue');
  return { resubmitted, pending };
}

/** Finds invoices that have crossed their threshold; the writes workers mark them, as all that changes data goes one way. */
async function markOverdue(runtime: Runtime, writes: WritesQueue): Promise<Record<string, unknown>> {
  let overdue = 0;
  await forEachChunk(runtime, async (tx) => {
    const commands = await findOverdue(tx, COMMANDS_PER_PASS);
    if (commands.length > 0) await enqueueBatch(writes, commands, null);
    overdue += commands.length;
  });
  return { overdue };
}

/** Finds claims whose deadline has passed or is near. */
async function watchClaims(runtime: Runtime, writes: WritesQueue): Promise<Record<string, unknown>> {
  let due = 0;
  await forEachChunk(runtime, async (tx) => {
    const commands = await findDeadlines(tx, COMMANDS_PER_PASS);
    if (commands.length > 0) await enqueueBatch(writes, commands, null);
    due += commands.length;
  });
  return { due };
}

async function purge(runtime: Runtime): Promise<Record<string, unknown>> {
  let purged = 0;
  await forEachChunk(runtime, async (tx) => {
    purged += await purgeExpired(tx, PURGED_PER_PASS);
  });
  return { purged };
}
