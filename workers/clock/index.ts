import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { CLOCK_QUEUE, type ClockJob, ensureSchedules, openClockQueue } from '../../shared/queues/clock.js';
import { openExportsQueue } from '../../shared/queues/exports.js';
import { openIntegrationsQueue } from '../../shared/queues/integrations.js';
import { openMessagesQueue } from '../../shared/queues/messages.js';
import { openWebhooksQueue } from '../../shared/queues/webhooks.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { createClockProcessor } from './processor.js';
import { recordScheduleRuns, reportSchedules } from './record-schedule-runs.js';

/** Schedules that are missing, because Redis lost its data, are created again this often, in ms. */
const SCHEDULE_CHECK_MS = 10_000;

/**
 * Starts the clock: its schedules and the worker that runs their jobs. Any number of clocks may
 * run; each schedule fires once.
 */
export async function startClock(runtime: Runtime): Promise<void> {
  const queue = openClockQueue(runtime);
  const writes = openWritesQueue(runtime);
  const messages = openMessagesQueue(runtime);
  const webhooks = openWebhooksQueue(runtime);
  const exports = openExportsQueue(runtime);
  const integrations = openIntegrationsQueue(runtime);
  const processor = createClockProcessor(runtime, { writes, messages, webhooks, exports, integrations });
  await reportSchedules(runtime);
  openWorker<ClockJob>(runtime, CLOCK_QUEUE, recordScheduleRuns(runtime, processor), { concurrency: 1 });
  const ensure = () =>
    ensureSchedules(queue).catch((error: unknown) =>
      runtime.logger.warn({ err: error }, 'could not check the schedules; will try again'),
    );
  await ensure();
  const timer = setInterval(() => void ensure(), SCHEDULE_CHECK_MS);
  runtime.lifecycle.onClose('schedule check', () => clearInterval(timer));
}
