import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { RecordRef } from '../../shared/records/record-refs.js';
import type { DeferredMail } from '../../shared/resources/planned-messages/daily-mail-limit.js';
import type { LeaseTerms, RetryWait } from '../../shared/resources/planned-messages/outbox-rows.js';
import type { LeaseNextMail } from './fair-mail-queue.js';
import {
  getRetryWait,
  MESSAGE_LEASE_SECONDS,
  type OfferResult,
  offerToProvider,
  retryUntilStored,
} from './offer-to-provider.js';
import type { Providers } from './providers.js';

interface LeasedMail extends RecordRef {
  /** The topic of the mail, for log entries. */
  kind?: string;
  /** Number of attempts, including this one. */
  attempts: number;
  /** Set if the mail exceeds the account's daily limit, and was postponed to the next day. */
  deferral: DeferredMail | undefined;
}

/** How the worker leases, builds and records one kind of mail to people of an account. */
interface PeopleMails<Mail extends LeasedMail> {
  /** Names the kind in log entries. */
  name: string;
  lease: (db: Database, tenantId: string, terms: LeaseTerms) => Promise<Mail | undefined>;
  /** Returns the mail, or the reason why it must not be sent. */
  build: (mail: Mail) => OutgoingMessage | { refusal: string };
  /** Handles a mail that needs no mail server. Returns false for all other mails. */
  handleWithoutServer?: (mail: Mail) => Promise<boolean>;
  recordSent: (db: Database, ref: RecordRef) => Promise<void>;
  recordFailure: (
    db: Database,
    ref: RecordRef,
    failure: { reason: string; wait: RetryWait | undefined },
  ) => Promise<void>;
}

/**
 * Creates a function that leases an account's next mail of this kind. That function returns a
 * second function, which sends the mail and stores the result. The result needs no command, because
 * clients see only when a mail was sent.
 */
export function createPeopleMailLeaser<Mail extends LeasedMail>(
  runtime: Runtime,
  providers: Providers,
  kind: PeopleMails<Mail>,
): LeaseNextMail {
  const { db, config, logger } = runtime;
  return async (tenantId) => {
    const leaseRequestedAt = performance.now();
    const terms = { leaseSeconds: MESSAGE_LEASE_SECONDS, mailsPerDay: config.mailsPerDay };
    const mail = await kind.lease(db, tenantId, terms);
    if (!mail) return undefined;
    return async () => {
      const { id, attempts, deferral } = mail;
      const logFields = { messageId: id, tenant: tenantId, kind: mail.kind };
      if (deferral)
        return logger.info({ ...logFields, ...deferral }, `${kind.name} postponed to the next day`);
      if (await kind.handleWithoutServer?.(mail)) return;
      const result = await offer(kind.build(mail));
      if (result.outcome === 'accepted')
        await retryUntilStored(leaseRequestedAt, () => kind.recordSent(db, mail));
      else
        await kind.recordFailure(db, mail, { reason: result.reason, wait: getRetryWait(result, attempts) });
      logger.info({ ...logFields, attempt: attempts, ...result }, kind.name);

      async function offer(built: ReturnType<typeof kind.build>): Promise<OfferResult> {
        if ('refusal' in built) return { outcome: 'refused', reason: built.refusal };
        return offerToProvider(
          { id, provider: 'smtp', attempts, leaseRequestedAt, prepare: () => built },
          { providers, logger },
        );
      }
    };
  };
}
