import type { OutgoingMessage } from '../../shared/integrations/contract/messaging.js';
import { VendorError } from '../../shared/integrations/contract/vendor-error.js';
import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { RetryWait } from '../../shared/resources/planned-messages/outbox-rows.js';
import type { Providers } from './providers.js';

/** Duration of the lease of a message. No other worker offers the message during that time. */
export const MESSAGE_LEASE_SECONDS = 180;
/**
 * Time from the lease query until the message and its PDF are ready. Together with the deadline of
 * the provider it is shorter than the lease. The remaining 15 s are for storing the acceptance.
 */
const PREPARE_DEADLINE_MS = 45_000;
/** A provider that has not responded by then counts as not having accepted the message. */
const SEND_DEADLINE_MS = 120_000;
/** Waits between attempts, 15 minutes in total. */
const RETRY_AFTER_SECONDS = [60, 120, 240, 480];
const MAX_ATTEMPTS = RETRY_AFTER_SECONDS.length + 1;
/** Wait of a message that was not offered: one of our own limits, or an unknown provider. */
const UNREADY_RETRY_SECONDS = 60;
const STORE_RETRY_MS = 500;

export type OfferResult =
  | { outcome: 'accepted' }
  | { outcome: 'refused' | 'later' | 'unready'; reason: string };

/**
 * The message cannot be prepared now because of one of our own limits. This does not count as an
 * attempt.
 */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}

/** A message to offer to a provider. */
export interface ProviderOffer {
  id: string;
  provider: string;
  /** Number of attempts, including this one. */
  attempts: number;
  /** `performance.now()` just before the lease query, so the lease starts later. */
  leaseRequestedAt: number;
  prepare: () => OutgoingMessage | Promise<OutgoingMessage>;
}

/** Prepares a message and offers it to its provider, once. */
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

/** Returns the wait before the next attempt; undefined when no attempt follows. */
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
 * Calls `store` again while PostgreSQL is unreachable, until the lease ends. Losing an acceptance
 * would cause a second copy.
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
