import type { Runtime } from '../../shared/platform/process/runtime.js';
import { createPrompter, type PromptedRecord } from '../../shared/queues/prompts.js';
import { WEBHOOKS_QUEUE } from '../../shared/queues/webhooks.js';
import type { CommittedBatch } from './run-batch.js';

/**
 * Returns a function that adds wake-up jobs for the work that a committed batch has created. If a
 * wake-up job is lost, the clock adds another one.
 */
export function createWakeUpSender(runtime: Runtime): (committed: CommittedBatch) => void {
  const prompt = createPrompter(runtime);
  return (committed) => {
    for (const [queue, records] of groupByQueue(committed))
      prompt(queue, records).catch((error: unknown) =>
        runtime.logger.warn({ err: error }, `could not add wake-up jobs for ${queue}; the clock will`),
      );
  };
}

function groupByQueue({
  completed,
  endpointQueues,
  prompts: further,
}: CommittedBatch): Map<string, PromptedRecord[]> {
  const prompts = completed.flatMap(({ command: { tenantId }, outcome }) =>
    ((outcome.ok && outcome.prompts) || []).map((prompt) => ({ ...prompt, tenantId })),
  );
  for (const { tenantId, endpointId } of endpointQueues)
    prompts.push({ queue: WEBHOOKS_QUEUE, tenantId, id: endpointId });
  prompts.push(...further);
  const byQueue = new Map<string, Map<string, PromptedRecord>>();
  for (const { queue, tenantId, id } of prompts) {
    const records = byQueue.get(queue) ?? new Map<string, PromptedRecord>();
    byQueue.set(queue, records.set(`${tenantId}/${id}`, { tenantId, id }));
  }
  return new Map([...byQueue].map(([queue, records]) => [queue, [...records.values()]]));
}
