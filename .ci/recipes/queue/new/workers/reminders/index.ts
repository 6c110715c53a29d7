import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import type { PromptedRecord } from '../../shared/queues/prompts.js';

/**
 * Starts the worker for the queue `reminders`. Each job names one record that a command added to
 * the queue.
 */
export function startRemindersWorker(runtime: Runtime): void {
  openWorker<PromptedRecord>(
    runtime,
    'reminders',
    async ({ data }) => runtime.logger.info({ tenantId: data.tenantId, id: data.id }, 'reminder due'),
    { concurrency: 4 },
  );
}
