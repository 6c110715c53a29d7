import type { Processor } from 'bullmq';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { MessageJob } from '../../shared/queues/messages.js';
import { takeMailOfDay } from '../../shared/resources/messages/mail-day.js';
import type { OutgoingMessage } from '../../shared/resources/messages/provider.js';
import {
  type ClaimedMail,
  claimNoticeMail,
  holdNoticeMail,
  noteMailFailure,
  noteMailSent,
} from '../../shared/resources/notices/outbox.js';
import { handOver, LEASE_SECONDS, type Result, retryAfter, untilStored } from './hand-over.js';
import type { Providers } from './providers.js';

const SENDER = 'Tow Dispatch';

/**
 * Hands the mail of a notice to the mail server. Nothing follows from it but the note that it was mailed, so no command does; what is to be done stands in its
 * row, and the clock prompts for it again.
 */
export function createNoticeMailer(runtime: Runtime, providers: Providers): Processor<MessageJob> {
  const { db, logger, config } = runtime;
  return async (job) => {
    const { tenantId: tenant_id, messageId: id } = job.data;
    const mail = await claimNoticeMail(db, { tenant_id, id }, LEASE_SECONDS);
    if (!mail) return;
    const { recipient, attempts } = mail;
    const held =
      recipient !== null && attempts === 1
        ? await takeMailOfDay(db, tenant_id, config.mailsPerDay)
        : undefined;
    if (held) {
      await holdNoticeMail(db, mail, held);
      logger.info({ messageId: id, tenant: tenant_id, ...held }, 'notice mail held');
      return;
    }
    const result: Result =
      recipient === null
        ? { outcome: 'refused', reason: 'The person has left the account.' }
        : await handOver(
            { id, provider: 'smtp', attempts, prepare: () => outgoing(mail, recipient, config.publicUrl) },
            { providers, logger },
          );
    if (result.outcome === 'accepted') await untilStored(() => noteMailSent(db, mail));
    else await noteMailFailure(db, mail, { reason: result.reason, seconds: retryAfter(result, attempts) });
    logger.info({ messageId: id, tenant: tenant_id, attempt: attempts, ...result }, 'notice mail');
  };
}

function outgoing(
  { id, title, text, account }: ClaimedMail,
  recipient: string,
  publicUrl: string,
): OutgoingMessage {
  const footer = [
    `The reference of the API: ${publicUrl}/docs`,
    `You get this mail because you can sign in to ${account}. GET /v1/notices lists all notices.`,
  ];
  return {
    id,
    sender: SENDER,
    recipient,
    subject: title,
    text: [text, '-- ', ...footer].join('\n\n'),
    html: null,
    attachment: undefined,
  };
}
