import type { Job, Processor } from 'bullmq';
import { failpoint } from '../../shared/config/failpoints.js';
import { CANARY_TYPE } from '../../shared/contracts/canary.js';
import type { Command, CommandResult } from '../../shared/contracts/command.js';
import { broadcastRecordedEvents } from '../../shared/events/recorded-broadcast.js';
import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import { AccountFrozenError } from '../../shared/platform/frozen/frozen-accounts.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { inSpan, SpanKind } from '../../shared/platform/tracing.js';
import { OutageWait } from '../../shared/queues/outage-wait.js';
import type { WriteJob, WriteReply } from '../../shared/queues/writes.js';
import { ConflictMonitor } from './conflict-monitor.js';
import { isKnownCommand, UnknownCommandError } from './handlers.js';
import {
  type BatchContext,
  createSuspectLimit,
  runIsolated,
  runOrRefuseFrozen,
  runSuspectedCommands,
} from './isolate-commands.js';
import { runDryRun } from './run-batch.js';
import { createWakeUpSender } from './wake-up-sender.js';

/**
 * Creates the processor of `writes` jobs. It commits a job's batch, then sends the results to the
 * process that waits for them.
 */
export function createWritesProcessor(runtime: Runtime): Processor<WriteJob> {
  const { db, logger, config } = runtime;
  const context: BatchContext = {
    config,
    db,
    logger,
    conflictMonitor: new ConflictMonitor(),
    // A worker runs at most `writesConcurrency` jobs at once, so the queue of suspected jobs has
    // room for all these jobs.
    suspectLimit: createSuspectLimit(config.writesConcurrency),
    beforeCommit: (commands) => killIfMarked(runtime, commands),
    afterCommit: createWakeUpSender(runtime),
  };
  const outageWait = new OutageWait({
    // A transaction, because an old primary still answers other queries.
    probe: () => db.transaction([], (tx) => tx.query({ text: 'select 1' })),
    isClosing: () => runtime.lifecycle.isClosing,
  });
  return async (job) => {
    const startedAt = performance.now();
    const { replyTo } = job.data;
    const { commands, unknownTypes } = selectKnownCommands(job.data.commands);
    failpoint(config, 'before_batch');
    const causes = commands.map((command) => command.traceparent);
    const span = {
      kind: SpanKind.CONSUMER,
      causes,
      attributes: { 'messaging.batch.message_count': commands.length },
    };
    const results = await inSpan('writes batch', span, () =>
      outageWait.run(() => runJob(context, job, commands)),
    );
    failpoint(config, 'after_commit');
    reportBatch(runtime, { job, commands, results, ms: performance.now() - startedAt });
    await Promise.all([
      replyTo && sendReply(runtime, replyTo, results),
      wakeStreams(runtime, commands, results),
    ]);
    // Fail the job. The queue then retries the job until a worker of a newer version runs the
    // unknown commands.
    if (unknownTypes.length > 0) throw new UnknownCommandError(unknownTypes);
  };
}

/**
 * Separates the commands that this version can run from the others. During a rolling upgrade, the
 * commands of a newer version must not delay the other commands in their job.
 */
function selectKnownCommands(all: Command[]): { commands: Command[]; unknownTypes: string[] } {
  const commands = all.filter(({ type }) => isKnownCommand(type));
  const unknown = commands.length === all.length ? [] : all.filter(({ type }) => !isKnownCommand(type));
  return { commands, unknownTypes: [...new Set(unknown.map(({ type }) => type))] };
}

async function runJob(
  context: BatchContext,
  job: Job<WriteJob>,
  commands: Command[],
): Promise<CommandResult[]> {
  const canaries = commands.filter((command) => command.type === CANARY_TYPE);
  const dryRuns = commands.filter((command) => command.dryRun && command.type !== CANARY_TYPE);
  const writes = commands.filter((command) => !command.dryRun);
  const results = await runWrites(context, job, writes);
  for (const dryRun of dryRuns)
    results.push(
      ...(await runOrRefuseFrozen([dryRun], ([command]) =>
        Promise.all(command ? [tryDryRun(context, command)] : []),
      )),
    );
  if (canaries.length > 0) await context.db.query({ text: 'select 1' });
  return [...results, ...canaries.map(buildCanaryResult)];
}

function runWrites(context: BatchContext, job: Job<WriteJob>, writes: Command[]): Promise<CommandResult[]> {
  // A stall means that a worker died during this job. One of the commands may have killed the
  // worker, so run them one by one.
  if (job.stalledCounter > 0) return runSuspectedCommands(context, writes);
  // On the first run of a client's job, skip the search for earlier results. The commands are new,
  // and repeated Idempotency-Keys are rare. The search takes a tenth of a batch's time (measured).
  const isFirstRun = job.attemptsMade === 0 && job.data.replyTo !== null;
  return runIsolated(context, writes, {
    shouldSearchEarlier: !isFirstRun || context.conflictMonitor.isNextBatchCautious(),
  });
}

function buildCanaryResult(command: Command): CommandResult {
  return { id: command.id, ok: true, status: 200, body: '{}', location: null, replayed: false };
}

async function tryDryRun(context: BatchContext, command: Command): Promise<CommandResult> {
  try {
    return await runDryRun(context, command);
  } catch (error) {
    if (isTransientDatabaseError(error) || error instanceof AccountFrozenError) throw error;
    context.logger.error(
      { err: error, commandId: command.id, type: command.type },
      'a dry run failed unexpectedly',
    );
    return {
      id: command.id,
      ok: false,
      error: { code: 'internal_error', message: 'Something went wrong on our side.' },
      unaudited: true,
    };
  }
}

/**
 * Sends the results to the process that waits for them. If this fails, that process finds the
 * committed results by their audit entries.
 */
async function sendReply(runtime: Runtime, channel: string, results: CommandResult[]): Promise<void> {
  const message: WriteReply = { results };
  await runtime.bus.publish(channel, JSON.stringify(message)).catch((error: unknown) => {
    runtime.logger.warn(
      { err: error, channel, count: results.length },
      'could not send a reply; the api process will find the results by audit entry',
    );
  });
}

/**
 * Wakes the event streams of tenants whose commands have succeeded. If the broadcast is lost, the
 * streams find the events up to two seconds later. A stream may be woken without a new event.
 */
async function wakeStreams(runtime: Runtime, commands: Command[], results: CommandResult[]): Promise<void> {
  const succeeded = new Set(results.filter((result) => result.ok && !result.replayed).map(({ id }) => id));
  const writes = commands.filter(
    ({ id, type, dryRun }) => succeeded.has(id) && !dryRun && type !== CANARY_TYPE,
  );
  if (writes.length === 0) return;
  await broadcastRecordedEvents(runtime.bus, new Set(writes.map(({ tenantId }) => tenantId))).catch(
    (error: unknown) => {
      runtime.logger.warn(
        { err: error },
        'could not wake the event streams; they will find the events at their next query',
      );
    },
  );
}

interface BatchReport {
  job: Job<WriteJob>;
  commands: Command[];
  results: CommandResult[];
  ms: number;
}

function reportBatch(runtime: Runtime, { job, commands, results, ms }: BatchReport): void {
  const { metrics, logger } = runtime;
  const typeOf = new Map(commands.map((command) => [command.id, command.type]));
  let failures = 0;
  for (const result of results) {
    const outcome = result.ok ? (result.replayed ? 'replayed' : 'ok') : result.error.code;
    if (!result.ok) failures += 1;
    metrics.commands.inc({ type: typeOf.get(result.id) ?? 'unknown', outcome });
  }
  metrics.batchCommands.observe(commands.length);
  metrics.commitSeconds.observe(ms / 1000);
  if (!logger.isLevelEnabled('info') || commands.every((command) => command.type === CANARY_TYPE)) return;
  logger.info(
    {
      jobId: job.id,
      commands: commands.length,
      failures,
      tenants: [...new Set(commands.map((command) => command.tenantId))].slice(0, 10),
      requestIds: commands.slice(0, 10).map((command) => command.requestId),
      stalled: job.stalledCounter,
      queuedMs: Math.max(0, (job.processedOn ?? job.timestamp) - job.timestamp),
      ms: Math.round(ms * 10) / 10,
    },
    'batch',
  );
}

/** For tests: if a failpoint is set, kills the process while the transaction is open. */
function killIfMarked(runtime: Runtime, commands: Command[]): void {
  const { config } = runtime;
  if (config.failpoints.size === 0) return;
  failpoint(config, 'before_commit');
  if (JSON.stringify(commands).includes('kill-this-worker')) failpoint(config, 'kill_marked');
}
