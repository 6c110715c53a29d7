import type { Runtime } from '../platform/process/runtime.js';
import { addJobs, openQueue, WAKE_UP_JOB_OPTIONS } from './backend.js';
import { EXPORTS_QUEUE, openExportsQueue, promptExports } from './exports.js';
import { INTEGRATIONS_QUEUE, promptConnectionQueues } from './integrations.js';
import {
  ACCESS_MAILS_PROMPT,
  MESSAGES_QUEUE,
  openMessagesQueue,
  promptAccessMails,
  promptMessages,
} from './messages.js';
import { openWebhooksQueue, WEBHOOKS_QUEUE, wakeEndpointQueues } from './webhooks.js';

export interface PromptedRecord {
  tenantId: string;
  id: string;
}

type AddWakeUps = (records: PromptedRecord[]) => Promise<void>;

/**
 * The queues whose jobs have their own format. Each entry opens its queue and returns a function
 * that adds wake-up jobs.
 */
const OWN_FORMS: Readonly<Record<string, (runtime: Runtime) => AddWakeUps>> = {
  [MESSAGES_QUEUE]: (runtime) => {
    // Without a mail server, messages stay in the outbox, so no worker needs a wake-up job.
    if (!runtime.config.smtpUrl) return async () => undefined;
    const queue = openMessagesQueue(runtime);
    return (records) =>
      promptMessages(
        queue,
        records.map(({ tenantId, id }) => ({ tenantId, messageId: id, attempts: 0 })),
      );
  },
  [ACCESS_MAILS_PROMPT]: (runtime) => {
    const queue = openMessagesQueue(runtime);
    return (records) =>
      promptAccessMails(
        queue,
        records.map(({ tenantId, id }) => ({ tenantId, messageId: id, attempts: 0 })),
      );
  },
  [EXPORTS_QUEUE]: (runtime) => {
    const queue = openExportsQueue(runtime);
    return (records) =>
      promptExports(
        queue,
        records.map(({ tenantId, id }) => ({ tenantId, exportId: id })),
      );
  },
  [INTEGRATIONS_QUEUE]: (runtime) => (records) =>
    promptConnectionQueues(
      runtime,
      records.map(({ tenantId, id }) => ({ tenantId, connectionId: id })),
    ),
  [WEBHOOKS_QUEUE]: (runtime) => {
    const queue = openWebhooksQueue(runtime);
    return (records) =>
      wakeEndpointQueues(
        queue,
        records.map(({ tenantId, id }) => ({ tenantId, endpointId: id })),
      );
  },
};

/**
 * Opens a queue whose jobs name one record each. The job's id prevents a second job for a record
 * while the first job waits or runs.
 */
function openPlainForm(runtime: Runtime, name: string): AddWakeUps {
  const queue = openQueue<PromptedRecord>(runtime, name, WAKE_UP_JOB_OPTIONS);
  return async (records) => {
    const jobs = records.map(({ tenantId, id }) => ({ data: { tenantId, id }, jobId: `${tenantId}-${id}` }));
    await addJobs(queue, 'wake', jobs);
  };
}

/**
 * Returns a function that adds wake-up jobs for records to the named queue. A queue is opened when
 * its first record arrives.
 */
export function createPrompter(runtime: Runtime): (name: string, records: PromptedRecord[]) => Promise<void> {
  const open = new Map<string, AddWakeUps>();
  return async (name, records) => {
    const add = open.get(name) ?? OWN_FORMS[name]?.(runtime) ?? openPlainForm(runtime, name);
    open.set(name, add);
    await add(records);
  };
}
