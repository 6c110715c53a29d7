import type { Runtime } from '../../shared/platform/runtime.js';
import type { OutgoingMessage } from '../../shared/resources/messages/provider.js';
import {
  type ClaimedMail,
  claimNextNoticeMail,
  noteMailFailure,
  noteMailSent,
} from '../../shared/resources/notices/outbox.js';
import { handOver, LEASE_SECONDS, type Result, untilStored, waitAfter } from './hand-over.js';
import type { ClaimNext } from './mail-turns.js';
import type { Providers } from './providers.js';

const SENDER = 'Tow Dispatch';

/**
 * Takes the mail of a notice that an account has had due the longest, and hands it to the mail
 * server. Only the note that it was mailed follows, so there is no command. What is to be done
 * stands in its row, and the clock prompts for it again.
 */
export function createNoticeClaims(runtime: Runtime, providers: Providers): ClaimNext {
  const { db, logger, config } = runtime;
  return async (tenantId) => {
    const claimedAt = performance.now();
    const terms = { leaseSeconds: LEASE_SECONDS, perDay: config.mailsPerDay };
    const mail = await claimNextNoticeMail(db, tenantId, terms);
    if (!mail) return undefined;
    return async () => {
      const { id, attempts, held } = mail;
      const about = { messageId: id, tenant: tenantId };
      if (held) return logger.info({ ...about, ...held }, 'notice mail held');
      const result = await offer(runtime, providers, { mail, claimedAt });
      if (result.outcome === 'accepted') await untilStored(claimedAt, () => noteMailSent(db, mail));
      else await noteMailFailure(db, mail, { reason: result.reason, wait: waitAfter(result, attempts) });
      logger.info({ ...about, attempt: attempts, ...result }, 'notice mail');
    };
  };
}

async function offer(
  { config, logger }: Runtime,
  providers: Providers,
  { mail, claimedAt }: { mail: ClaimedMail; claimedAt: number },
): Promise<Result> {
  const { id, attempts, recipient } = mail;
  if (recipient === null) return { outcome: 'refused', reason: 'The person has left the account.' };
  const prepare = () => outgoing(mail, recipient, config.publicUrl);
  return handOver({ id, provider: 'smtp', attempts, claimedAt, prepare }, { providers, logger });
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
