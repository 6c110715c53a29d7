import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  type MessagesQueue,
  openMessagesQueue,
  promptMessages,
  promptNoticeMails,
} from '../../shared/queues/messages.js';
import { findDueMessages } from '../../shared/resources/messages/outbox.js';
import { findDueNoticeMails } from '../../shared/resources/notices/outbox.js';
import type { DueRow } from '../../shared/resources/planned-messages/outbox-rows.js';
import type { Task } from '../sweeps/schedule.js';
import { sweepTenants } from '../sweeps/sweep-tenants.js';

const MESSAGES_PER_PASS = 1000;

export const messageTask: Task = {
  name: 'prompt-messages',
  everyMs: 10_000,
  prepare: (runtime) => {
    const messages = openMessagesQueue(runtime);
    return () => promptDueMessages(runtime, messages);
  },
};

/**
 * Adds wake-up jobs for due messages. The job of such a message was lost, or its worker died. Also
 * adds the wake-up jobs for notice mails, because no other code adds them.
 */
async function promptDueMessages(
  runtime: Runtime,
  messages: MessagesQueue,
): Promise<Record<string, unknown>> {
  let due = 0;
  await sweepTenants(runtime, messageTask.name, async (tx) => {
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

const toPrompt = ({ tenant_id: tenantId, id: messageId, attempts }: DueRow) => ({
  tenantId,
  messageId,
  attempts,
});
