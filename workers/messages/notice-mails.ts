import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  type LeasedNoticeMail,
  leaseNextNoticeMail,
  recordNoticeMailFailure,
  recordNoticeMailSent,
} from '../../shared/resources/notices/outbox.js';
import type { LeaseNextMail } from './fair-mail-queue.js';
import {
  getRetryWait,
  MESSAGE_LEASE_SECONDS,
  type OfferResult,
  offerToProvider,
  retryUntilStored,
} from './offer-to-provider.js';
import type { Providers } from './providers.js';

const SENDER_NAME = 'Tow Dispatch';

/**
 * Creates a function that leases the notice mail that has the earliest due time in an account. The
 * function returns another function, which sends the mail and stores the result. The result needs
 * no command, because clients see only when the mail was sent.
 */
export function createNoticeMailLeaser(runtime: Runtime, providers: Providers): LeaseNextMail {
  const { db, logger, config } = runtime;
  return async (tenantId) => {
    const leaseRequestedAt = performance.now();
    const terms = { leaseSeconds: MESSAGE_LEASE_SECONDS, mailsPerDay: config.mailsPerDay };
    const mail = await leaseNextNoticeMail(db, tenantId, terms);
    if (!mail) return undefined;
    return async () => {
      const { id, attempts, deferral } = mail;
      const logFields = { messageId: id, tenant: tenantId };
      if (deferral)
        return logger.info({ ...logFields, ...deferral }, 'notice mail postponed to the next day');
      const result = await offer(runtime, providers, { mail, leaseRequestedAt });
      if (result.outcome === 'accepted')
        await retryUntilStored(leaseRequestedAt, () => recordNoticeMailSent(db, mail));
      else
        await recordNoticeMailFailure(db, mail, {
          reason: result.reason,
          wait: getRetryWait(result, attempts),
        });
      logger.info({ ...logFields, attempt: attempts, ...result }, 'notice mail');
    };
  };
}

async function offer(
  { config, logger }: Runtime,
  providers: Providers,
  { mail, leaseRequestedAt }: { mail: LeasedNoticeMail; leaseRequestedAt: number },
): Promise<OfferResult> {
  const { id, attempts, recipient } = mail;
  if (recipient === null) return { outcome: 'refused', reason: 'The person has left the account.' };
  const prepare = () => buildOutgoingMail(mail, recipient, config.publicUrl);
  return offerToProvider(
    { id, provider: 'smtp', attempts, leaseRequestedAt: leaseRequestedAt, prepare },
    { providers, logger },
  );
}

function buildOutgoingMail(
  { id, title, text, account }: LeasedNoticeMail,
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
