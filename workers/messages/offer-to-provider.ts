import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import { VendorError } from '../../shared/integrations/contract/vendor-error.js';
import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { RetryWait } from '../../shared/resources/planned-messages/outbox-rows.js';
import type { Providers } from './providers.js';

/** No other worker offers a message during its lease. */
export const MESSAGE_LEASE_SECONDS = 180;
/**
 * Maximum time from the lease query until the message and its PDF are ready. Together with the
 * provider's deadline, this leaves 15 s of the lease for storing the acceptance.
 */
const PREPARE_DEADLINE_MS = 45_000;
/** A provider that responds later counts as not having accepted the message. */
const SEND_DEADLINE_MS = 120_000;
/** Waits between attempts, 15 minutes in total. */
const RETRY_AFTER_SECONDS = [60, 120, 240, 480];
const MAX_ATTEMPTS = RETRY_AFTER_SECONDS.length + 1;
/** Wait after our own limits, or an unknown provider, prevented an offer. */
const UNREADY_RETRY_SECONDS = 60;
const STORE_RETRY_MS = 500;

export type OfferResult =
  | { outcome: 'accepted' }
  | { outcome: 'refused' | 'later' | 'unready'; reason: string };

/** One of our own limits prevents the preparation of a message, which is no attempt then. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}

export interface ProviderOffer {
  id: string;
  provider: string;
  /** Including this attempt. */
  attempts: number;
  /** `performance.now()` just before the lease query, so the lease ends later than computed. */
  leaseRequestedAt: number;
  prepare: () => OutgoingMessage | Promise<OutgoingMessage>;
}

export async function offerToProvider(
  { id, provider: name, attempts, leaseRequestedAt, prepare }: ProviderOffer,
  { providers, logger }: { providers: Providers; logger: Logger },
): Promise<OfferResult> {
  // Every started attempt counts, so a message that kills its worker each time fails in the end.
  if (attempts > MAX_ATTEMPTS) return { outcome: 'refused', reason: 'The delivery broke off repeatedly.' };
  const provider = providers(name);
  // A newer version queued this message during a rolling update. A newer worker can send it.
  if (!provider) return { outcome: 'unready', reason: `This worker does not support the provider ${name}.` };
  try {
    const message = await withDeadline(Promise.resolve().then(prepare), {
      ms: leaseRequestedAt + PREPARE_DEADLINE_MS - performance.now(),
      error: new NotReadyError('The PDF was not ready in time.'),
    });
    await withDeadline(provider.send(message), {
      ms: SEND_DEADLINE_MS,
      error: new VendorError('The provider did not respond in time.', { kind: 'unknown_outcome' }),
    });
    return { outcome: 'accepted' };
  } catch (error) {
    if (error instanceof NotReadyError) return { outcome: 'unready', reason: error.message };
    if (!(error instanceof VendorError)) {
      logger.error({ err: error, messageId: id }, 'could not prepare a message');
      return { outcome: 'later', reason: 'Something went wrong on our side.' };
    }
    return { outcome: error.kind === 'refused' ? 'refused' : 'later', reason: error.message };
  }
}

/** Returns undefined if no attempt follows. */
export function getRetryWait({ outcome }: OfferResult, attempts: number): RetryWait | undefined {
  if (outcome === 'unready') return { seconds: UNREADY_RETRY_SECONDS, wasOffered: false };
  const seconds = outcome === 'later' ? RETRY_AFTER_SECONDS[attempts - 1] : undefined;
  return seconds === undefined ? undefined : { seconds, wasOffered: true };
}

async function withDeadline<T>(work: Promise<T>, { ms, error }: { ms: number; error: Error }): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error), Math.max(0, ms));
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Repeats `store` until the lease ends, because a lost acceptance would cause a second copy. */
export async function retryUntilStored(leaseRequestedAt: number, store: () => Promise<void>): Promise<void> {
  const deadline = leaseRequestedAt + MESSAGE_LEASE_SECONDS * 1000;
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isTransientDatabaseError(error) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
    }
  }
}
