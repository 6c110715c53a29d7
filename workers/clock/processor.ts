import type { Processor } from 'bullmq';
import type { Command } from '../../shared/contracts/command.js';
import { findDueLanes } from '../../shared/events/due-lanes.js';
import type { Transaction } from '../../shared/platform/postgres.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import type { ExportsQueue } from '../../shared/queues/exports.js';
import { type MessagesQueue, promptMessages, promptNoticeMails } from '../../shared/queues/messages.js';
import { scheduleWakes, type WebhooksQueue, wakeLanes } from '../../shared/queues/webhooks.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import { touchKeys } from '../../shared/resources/api-keys/queries.js';
import { findExpired } from '../../shared/resources/approvals/expiry.js';
import { findDeadlines } from '../../shared/resources/claims/deadlines.js';
import { findAccruals } from '../../shared/resources/impounds/storage-sweep.js';
import { findOverdue } from '../../shared/resources/invoices/overdue-sweep.js';
import { applyTermsChanges } from '../../shared/resources/invoices/terms-changes.js';
import { findDueMessages } from '../../shared/resources/messages/outbox.js';
import type { DueRow } from '../../shared/resources/messages/outbox-rows.js';
import { findDueNoticeMails } from '../../shared/resources/notices/outbox.js';
import { purgeExpired } from '../../shared/resources/operations/store.js';
import { touchSessions } from '../../shared/resources/sessions/queries.js';
import { findHealthSteps } from '../../shared/resources/webhook-endpoints/health-sweep.js';
import { enqueueCommands } from './enqueue-commands.js';
import { keepWeeks } from './keep-weeks.js';
import { resubmitOperations } from './resubmit-operations.js';
import { runExportSchedules } from './run-export-schedules.js';
import { createReplayRunner } from './run-replays.js';
import { FOUND_PER_PASS, sweepTenants } from './sweep-tenants.js';
import { createBillingWatch } from './watch-billing.js';
import { watchExports } from './watch-exports.js';

/** Midnight begins a day for every vehicle of a time zone at once. */
const ACCRUALS_PER_PASS = 5000;
/** A due date ends for all invoices of a time zone at once. */
const OVERDUE_PER_PASS = 2000;
const RECKONED_PER_PASS = 5000;
const MESSAGES_PER_PASS = 1000;
const PURGED_PER_PASS = 5000;
const LANES_PER_PASS = 2000;
/** Longer than the time between two looks, with room for one that fails. */
const WAKE_HORIZON_SECONDS = 30;

/** The queues that the clock puts work back into. */
export interface ClockQueues {
  writes: WritesQueue;
  messages: MessagesQueue;
  webhooks: WebhooksQueue;
  exports: ExportsQueue;
}

/** What each job of the clock's queue does. */
export function createClockProcessor(
  runtime: Runtime,
  { writes, messages, webhooks, exports }: ClockQueues,
): Processor<ClockJob> {
  const tasks: Record<string, (data: ClockJob) => Promise<Record<string, unknown>>> = {
    'resubmit-operations': () => resubmitOperations(runtime, writes),
    'mark-overdue': () =>
      sweep(runtime, writes, { task: 'mark-overdue', find: findOverdue, limit: OVERDUE_PER_PASS }),
    'apply-terms': () => applyTerms(runtime),
    'accrue-storage': () =>
      sweep(runtime, writes, { task: 'accrue-storage', find: findAccruals, limit: ACCRUALS_PER_PASS }),
    'expire-approvals': () => sweep(runtime, writes, { task: 'expire-approvals', find: findExpired }),
    'prompt-messages': () => promptDueMessages(runtime, messages),
    'wake-lanes': () => wakeDueLanes(runtime, webhooks),
    'run-replays': createReplayRunner(runtime, webhooks),
    'watch-billing': createBillingWatch(runtime, writes),
    'watch-claims': () => sweep(runtime, writes, { task: 'watch-claims', find: findDeadlines }),
    'watch-endpoints': () => sweep(runtime, writes, { task: 'watch-endpoints', find: findHealthSteps }),
    'watch-exports': () => watchExports(runtime, { writes, exports }),
    'run-export-schedules': () => runExportSchedules(runtime, writes),
    'purge-expired': () => purge(runtime),
    'keep-partitions': () => keepWeeks(runtime),
    'touch-keys': async ({ uses = [] }) => {
      await touchKeys(
        runtime.db,
        uses.filter((use) => !use.session),
      );
      await touchSessions(
        runtime.db,
        uses.filter((use) => use.session),
      );
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

/** Finds what time has changed; the writes workers say so, as all that changes data goes one way. */
async function sweep(
  runtime: Runtime,
  writes: WritesQueue,
  { task, find, limit = FOUND_PER_PASS }: Sweep,
): Promise<Record<string, unknown>> {
  let found = 0;
  await sweepTenants(runtime, task, async (tx) => {
    const commands = await find(tx, limit);
    await enqueueCommands(writes, commands);
    found += commands.length;
  });
  return { found };
}

interface Sweep {
  task: string;
  find: (tx: Transaction, limit: number) => Promise<Command[]>;
  limit?: number;
}

/**
 * Messages that still wait for their provider although they are due: their prompt was lost, or the worker that had it died. Mails of notices are prompted by
 * nobody else.
 */
async function promptDueMessages(
  runtime: Runtime,
  messages: MessagesQueue,
): Promise<Record<string, unknown>> {
  let due = 0;
  await sweepTenants(runtime, 'prompt-messages', async (tx) => {
    const [found, mails] = await Promise.all([
      findDueMessages(tx, MESSAGES_PER_PASS),
      findDueNoticeMails(tx, MESSAGES_PER_PASS),
    ]);
    due += found.length + mails.length;
    await promptMessages(messages, found.map(promptOf));
    await promptNoticeMails(messages, mails.map(promptOf));
  });
  return { due };
}

/** Lanes with something due that nobody has in hand, and those where something falls due before the next minute is over. */
async function wakeDueLanes(runtime: Runtime, webhooks: WebhooksQueue): Promise<Record<string, unknown>> {
  let woken = 0;
  let scheduled = 0;
  await sweepTenants(runtime, 'wake-lanes', async (tx) => {
    const found = await findDueLanes(tx, { horizonSeconds: WAKE_HORIZON_SECONDS, limit: LANES_PER_PASS });
    const lanes = found.map(({ tenant_id: tenantId, endpoint_id: endpointId, in_ms: inMs }) => ({
      lane: { tenantId, endpointId },
      inMs,
    }));
    const now = lanes.filter(({ inMs }) => inMs === 0).map(({ lane }) => lane);
    const later = lanes.filter(({ inMs }) => inMs > 0);
    await wakeLanes(webhooks, now);
    await scheduleWakes(
      webhooks,
      later.map(({ lane, inMs }) => ({ lane, at: new Date(Date.now() + inMs) })),
    );
    woken += now.length;
    scheduled += later.length;
  });
  return { woken, scheduled };
}

const promptOf = ({ tenant_id: tenantId, id: messageId, attempts }: DueRow) => ({
  tenantId,
  messageId,
  attempts,
});

/**
 * Brings open invoices to the changed terms of their customers, so that the overdue sweep finds
 * them in time.
 */
async function applyTerms(runtime: Runtime): Promise<Record<string, unknown>> {
  let reckoned = 0;
  await sweepTenants(runtime, 'apply-terms', async (tx) => {
    reckoned += await applyTermsChanges(tx, RECKONED_PER_PASS);
  });
  return { reckoned };
}

async function purge(runtime: Runtime): Promise<Record<string, unknown>> {
  let purged = 0;
  await sweepTenants(runtime, 'purge-expired', async (tx) => {
    purged += await purgeExpired(tx, PURGED_PER_PASS);
  });
  return { purged };
}
