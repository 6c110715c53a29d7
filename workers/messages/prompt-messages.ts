import { NO_TENANT } from '../../shared/platform/ids.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  type MessagesQueue,
  openMessagesQueue,
  promptAccessMails,
  promptMessages,
  promptNoticeMails,
} from '../../shared/queues/messages.js';
import { deleteExpiredRows } from '../../shared/records/expiry.js';
import { findDueAccessMails } from '../../shared/resources/access-mails/outbox.js';
import { EXPIRED_ACCESS_MAILS } from '../../shared/resources/access-mails/store.js';
import { findDueMessages } from '../../shared/resources/messages/outbox.js';
import { findDueNoticeMails } from '../../shared/resources/notices/outbox.js';
import type { DueRow } from '../../shared/resources/planned-messages/outbox-rows.js';
import { EXPIRED_SIGN_UP_TOKENS, EXPIRED_SIGN_UPS } from '../../shared/resources/sign-ups/sign-up-rows.js';
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
 * Adds wake-up jobs for due messages whose job was lost or whose worker died. Adds all wake-up jobs
 * for notice mails, because no other code adds them. Replaces lost wake-up jobs for mails about
 * access. Also deletes the expired rows that requests without a credential have left.
 */
async function promptDueMessages(
  runtime: Runtime,
  messages: MessagesQueue,
): Promise<Record<string, unknown>> {
  let due = 0;
  await sweepTenants(runtime, messageTask.name, async (tx) => {
    const [found, mails, access] = await Promise.all([
      findDueMessages(tx, MESSAGES_PER_PASS),
      findDueNoticeMails(tx, MESSAGES_PER_PASS),
      findDueAccessMails(tx, MESSAGES_PER_PASS),
    ]);
    due += found.length + mails.length + access.length;
    await promptMessages(messages, found.map(toPrompt));
    await promptNoticeMails(messages, mails.map(toPrompt));
    await promptAccessMails(messages, access.map(toPrompt));
  });
  const strangers = await runtime.db.transaction([NO_TENANT], async (tx) => {
    await deleteExpiredRows(tx, EXPIRED_FOR_STRANGERS, MESSAGES_PER_PASS);
    return findDueAccessMails(tx, MESSAGES_PER_PASS);
  });
  await promptAccessMails(messages, strangers.map(toPrompt));
  return { due: due + strangers.length };
}

/** Expired rows that belong to no account. The sweeps over accounts do not see them. */
const EXPIRED_FOR_STRANGERS = [EXPIRED_ACCESS_MAILS, EXPIRED_SIGN_UPS, EXPIRED_SIGN_UP_TOKENS];

const toPrompt = ({ tenant_id: tenantId, id: messageId, attempts }: DueRow) => ({
  tenantId,
  messageId,
  attempts,
});
