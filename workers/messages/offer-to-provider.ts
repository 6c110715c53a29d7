import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import { VendorError } from '../../shared/integrations/contract/vendor-error.js';
import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { RetryWait } from '../../shared/resources/planned-messages/outbox-rows.js';
import type { Providers } from './providers.js';

/** Duration of a message's lease. Until the lease ends, no other worker offers the message. */
export const MESSAGE_LEASE_SECONDS = 180;
/**
 * Maximum time from the lease query until the message and its PDF are ready. Sending may then take
 * SEND_DEADLINE_MS. After both, 15 s of the lease remain for storing the acceptance.
 */
const PREPARE_DEADLINE_MS = 45_000;
/** If the provider needs more time, the message counts as not accepted. */
const SEND_DEADLINE_MS = 120_000;
/** The waits between the attempts, 15 minutes in total. */
const RETRY_AFTER_SECONDS = [60, 120, 240, 480];
const MAX_ATTEMPTS = RETRY_AFTER_SECONDS.length + 1;
/**
 * The wait after a message that could not be offered. Either a limit of this service was reached,
 * or this worker does not know the provider.
 */
const UNREADY_RETRY_SECONDS = 60;
const STORE_RETRY_MS = 500;

export type OfferResult =
  | { outcome: 'accepted' }
  | { outcome: 'refused' | 'later' | 'unready'; reason: string };

/**
 * Thrown if a limit of this service prevents the preparation of a message. The try does not count
 * as an attempt.
 */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}

export interface ProviderOffer {
  id: string;
  provider: string;
  /** Number of attempts, including this one. */
  attempts: number;
  /**
   * `performance.now()` just before the lease query. The lease begins later, so a deadline computed
   * from this time is never too late.
   */
  leaseRequestedAt: number;
  prepare: () => OutgoingMessage | Promise<OutgoingMessage>;
}

export async function offerToProvider(
  { id, provider: name, attempts, leaseRequestedAt, prepare }: ProviderOffer,
  { providers, logger }: { providers: Providers; logger: Logger },
): Promise<OfferResult> {
  // Attempts are counted when they start. So a message that kills its worker in every attempt
  // finally fails.
  if (attempts > MAX_ATTEMPTS) return { outcome: 'refused', reason: 'The delivery broke off repeatedly.' };
  const provider = providers(name);
  // During a rolling update, a newer version may have queued this message. Only a worker of that
  // version can send it.
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

/** Returns the wait before the next attempt; undefined if no attempt follows. */
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

/**
 * Calls `store`. Repeats the call after transient database errors until the lease ends. If the
 * acceptance is never stored, another worker sends a second copy of the message.
 */
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
