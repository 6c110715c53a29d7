import type { Processor } from 'bullmq';
import type { Command } from '../../shared/contracts/command.js';
import { findDueEndpointQueues } from '../../shared/deliveries/find-due-endpoint-queues.js';
import { purgeExpired } from '../../shared/operations/store.js';
import type { Transaction } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ClockJob } from '../../shared/queues/clock.js';
import type { ExportsQueue } from '../../shared/queues/exports.js';
import { type IntegrationsQueue, wakeConnectionQueues } from '../../shared/queues/integrations.js';
import { type MessagesQueue, promptMessages, promptNoticeMails } from '../../shared/queues/messages.js';
import { scheduleWakeUps, type WebhooksQueue, wakeEndpointQueues } from '../../shared/queues/webhooks.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import { touchKeys } from '../../shared/resources/api-keys/queries.js';
import { findExpiredApprovals } from '../../shared/resources/approvals/expiry.js';
import { findClaimDeadlines } from '../../shared/resources/claims/deadlines.js';
import { findDueStorageAccruals } from '../../shared/resources/impounds/storage-sweep.js';
import { findOverdueInvoices } from '../../shared/resources/invoices/overdue-sweep.js';
import { applyTermsChanges } from '../../shared/resources/invoices/terms-changes.js';
import { findDueMessages } from '../../shared/resources/messages/outbox.js';
import { findDueNoticeMails } from '../../shared/resources/notices/outbox.js';
import type { DueRow } from '../../shared/resources/planned-messages/outbox-rows.js';
import { extendSessions } from '../../shared/resources/sessions/queries.js';
import { findHealthSteps } from '../../shared/resources/webhook-endpoints/health/sweep.js';
import { findDueConnections } from '../../shared/sync/find-due-connections.js';
import { enqueueCommands } from './enqueue-commands.js';
import { maintainWeeklyPartitions } from './maintain-partitions.js';
import { resubmitOperations } from './resubmit-operations.js';
import { runExportSchedules } from './run-export-schedules.js';
import { createReplayRunner } from './run-replays.js';
import { DEFAULT_ROWS_PER_PASS, sweepTenants } from './sweep-tenants.js';
import { createBillingWatch } from './watch-billing.js';
import { watchExports } from './watch-exports.js';

/** Midnight starts a storage day for all vehicles of a time zone simultaneously. */
const ACCRUALS_PER_PASS = 5000;
/** A due date ends for all invoices of a time zone simultaneously. */
const OVERDUE_PER_PASS = 2000;
const TERMS_UPDATES_PER_PASS = 5000;
const MESSAGES_PER_PASS = 1000;
const PURGED_PER_PASS = 5000;
const ENDPOINT_QUEUES_PER_PASS = 2000;
/** Longer than the interval of `wake-lanes`, so that one failed run does no harm. */
const WAKE_HORIZON_SECONDS = 30;

/** The queues to which the clock adds jobs. */
export interface ClockQueues {
  writes: WritesQueue;
  messages: MessagesQueue;
  webhooks: WebhooksQueue;
  exports: ExportsQueue;
  integrations: IntegrationsQueue;
}

/** Creates the processor of the clock's queue. Each job name is a task. */
export function createClockProcessor(
  runtime: Runtime,
  { writes, messages, webhooks, exports, integrations }: ClockQueues,
): Processor<ClockJob> {
  const tasks: Record<string, (data: ClockJob) => Promise<Record<string, unknown>>> = {
    'resubmit-operations': () => resubmitOperations(runtime, writes),
    'mark-overdue': () =>
      sweepForCommands(runtime, writes, {
        task: 'mark-overdue',
        find: findOverdueInvoices,
        limit: OVERDUE_PER_PASS,
      }),
    'apply-terms': () => applyTerms(runtime),
    'accrue-storage': () =>
      sweepForCommands(runtime, writes, {
        task: 'accrue-storage',
        find: findDueStorageAccruals,
        limit: ACCRUALS_PER_PASS,
      }),
    'expire-approvals': () =>
      sweepForCommands(runtime, writes, { task: 'expire-approvals', find: findExpiredApprovals }),
    'prompt-messages': () => promptDueMessages(runtime, messages),
    'wake-lanes': () => wakeDueEndpointQueues(runtime, webhooks),
    'run-replays': createReplayRunner(runtime, webhooks),
    'watch-billing': createBillingWatch(runtime, writes),
    'watch-claims': () =>
      sweepForCommands(runtime, writes, { task: 'watch-claims', find: findClaimDeadlines }),
    'watch-endpoints': () =>
      sweepForCommands(runtime, writes, { task: 'watch-endpoints', find: findHealthSteps }),
    'watch-exports': () => watchExports(runtime, { writes, exports }),
    'wake-connections': () => wakeDueConnections(runtime, integrations),
    'run-export-schedules': () => runExportSchedules(runtime, writes),
    'purge-expired': () => purgeExpiredRows(runtime),
    'keep-partitions': () => maintainWeeklyPartitions(runtime),
    'touch-keys': async ({ uses = [] }) => {
      await touchKeys(
        runtime.db,
        uses.filter((use) => !use.session),
      );
      await extendSessions(
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

/**
 * Runs a sweep that finds due records, and submits a command for each. The writes workers then
 * change the records: all changes of data are commands.
 */
async function sweepForCommands(
  runtime: Runtime,
  writes: WritesQueue,
  { task, find, limit = DEFAULT_ROWS_PER_PASS }: CommandSweep,
): Promise<Record<string, unknown>> {
  let found = 0;
  await sweepTenants(runtime, task, async (tx) => {
    const commands = await find(tx, limit);
    await enqueueCommands(writes, commands);
    found += commands.length;
  });
  return { found };
}

interface CommandSweep {
  task: string;
  find: (tx: Transaction, limit: number) => Promise<Command[]>;
  limit?: number;
}

/**
 * Adds wake-up jobs for due messages whose own wake-up job was lost or whose worker died. For mails
 * of notices, only the clock adds wake-up jobs.
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
    await promptMessages(messages, found.map(toPrompt));
    await promptNoticeMails(messages, mails.map(toPrompt));
  });
  return { due };
}

/**
 * Wakes the workers for due endpoint queues that no worker holds. Schedules a wake-up for endpoint
 * queues that fall due within the horizon.
 */
async function wakeDueEndpointQueues(
  runtime: Runtime,
  webhooks: WebhooksQueue,
): Promise<Record<string, unknown>> {
  let woken = 0;
  let scheduled = 0;
  await sweepTenants(runtime, 'wake-lanes', async (tx) => {
    const found = await findDueEndpointQueues(tx, {
      horizonSeconds: WAKE_HORIZON_SECONDS,
      limit: ENDPOINT_QUEUES_PER_PASS,
    });
    const endpointQueues = found.map(({ tenant_id: tenantId, endpoint_id: endpointId, in_ms: inMs }) => ({
      endpointQueue: { tenantId, endpointId },
      inMs,
    }));
    const now = endpointQueues.filter(({ inMs }) => inMs === 0).map(({ endpointQueue }) => endpointQueue);
    const later = endpointQueues.filter(({ inMs }) => inMs > 0);
    await wakeEndpointQueues(webhooks, now);
    await scheduleWakeUps(
      webhooks,
      later.map(({ endpointQueue, inMs }) => ({ endpointQueue, at: new Date(Date.now() + inMs) })),
    );
    woken += now.length;
    scheduled += later.length;
  });
  return { woken, scheduled };
}

/** Wakes the workers for connections with due work that no worker holds. */
async function wakeDueConnections(
  runtime: Runtime,
  integrations: IntegrationsQueue,
): Promise<Record<string, unknown>> {
  let woken = 0;
  await sweepTenants(runtime, 'wake-connections', async (tx) => {
    const found = await findDueConnections(tx, DEFAULT_ROWS_PER_PASS);
    await wakeConnectionQueues(
      integrations,
      found.map(({ tenant_id: tenantId, id: connectionId }) => ({ tenantId, connectionId })),
    );
    woken += found.length;
  });
  return { woken };
}

const toPrompt = ({ tenant_id: tenantId, id: messageId, attempts }: DueRow) => ({
  tenantId,
  messageId,
  attempts,
});

/**
 * Applies changed terms of customers to their open invoices, so that the overdue sweep finds these
 * invoices in time.
 */
async function applyTerms(runtime: Runtime): Promise<Record<string, unknown>> {
  let updated = 0;
  await sweepTenants(runtime, 'apply-terms', async (tx) => {
    updated += await applyTermsChanges(tx, TERMS_UPDATES_PER_PASS);
  });
  return { updated };
}

async function purgeExpiredRows(runtime: Runtime): Promise<Record<string, unknown>> {
  let purged = 0;
  await sweepTenants(runtime, 'purge-expired', async (tx) => {
    purged += await purgeExpired(tx, PURGED_PER_PASS);
  });
  return { purged };
}
