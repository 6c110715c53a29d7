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

const SENDER_NAME = 'Tow Dispatch';

/**
 * Creates a function that leases an account's notice mail that has been due the longest, and then
 * sends it to the mail server. The worker stores the result directly: a notice only records when it
 * was mailed, so no command is needed. The row is the source of truth, and the clock adds wake-up
 * jobs for due rows.
 */
export function createNoticeClaims(runtime: Runtime, providers: Providers): ClaimNext {
  const { db, logger, config } = runtime;
  return async (tenantId) => {
    const leaseRequestedAt = performance.now();
    const terms = { leaseSeconds: LEASE_SECONDS, perDay: config.mailsPerDay };
    const mail = await claimNextNoticeMail(db, tenantId, terms);
    if (!mail) return undefined;
    return async () => {
      const { id, attempts, held: deferral } = mail;
      const logFields = { messageId: id, tenant: tenantId };
      if (deferral)
        return logger.info({ ...logFields, ...deferral }, 'notice mail postponed to the next day');
      const result = await offer(runtime, providers, { mail, leaseRequestedAt });
      if (result.outcome === 'accepted') await untilStored(leaseRequestedAt, () => noteMailSent(db, mail));
      else await noteMailFailure(db, mail, { reason: result.reason, wait: waitAfter(result, attempts) });
      logger.info({ ...logFields, attempt: attempts, ...result }, 'notice mail');
    };
  };
}

async function offer(
  { config, logger }: Runtime,
  providers: Providers,
  { mail, leaseRequestedAt }: { mail: ClaimedMail; leaseRequestedAt: number },
): Promise<Result> {
  const { id, attempts, recipient } = mail;
  if (recipient === null) return { outcome: 'refused', reason: 'The person has left the account.' };
  const prepare = () => buildOutgoingMail(mail, recipient, config.publicUrl);
  return handOver(
    { id, provider: 'smtp', attempts, claimedAt: leaseRequestedAt, prepare },
    { providers, logger },
  );
}

function buildOutgoingMail(
  { id, title, text, account }: ClaimedMail,
  recipient: string,
  publicUrl: string,
): OutgoingMessage {
  const footer = [
    `API reference: ${publicUrl}/docs`,
    `You receive this mail because you can sign in to ${account}. GET /v1/notices lists all notices.`,
  ];
  return {
    id,
    sender: SENDER_NAME,
    recipient,
    subject: title,
    text: [text, '-- ', ...footer].join('\n\n'),
    html: null,
    attachment: undefined,
  };
}
