import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Wait } from '../../shared/resources/messages/outbox-rows.js';
import { DeliveryError, type OutgoingMessage } from '../../shared/resources/messages/provider.js';
import type { Providers } from './providers.js';

/** No other worker offers the same message for so long after its claim. */
export const LEASE_SECONDS = 180;
/**
 * From the claim until all that a message needs is there, its PDF above all. With the deadline of
 * the provider this stays under the lease, by the time in which the acceptance is stored.
 */
const PREPARED_WITHIN_MS = 45_000;
/** A provider that has not answered by then is taken for one that did not accept. */
const SEND_DEADLINE_MS = 120_000;
/** Waits between attempts, 15 minutes in all. */
const RETRY_AFTER_SECONDS = [60, 120, 240, 480];
const MAX_ATTEMPTS = RETRY_AFTER_SECONDS.length + 1;
/** The wait of a message that could not be prepared for want of room. */
const UNREADY_SECONDS = 60;
const STORE_RETRY_MS = 500;

export type Result = { outcome: 'accepted' } | { outcome: 'refused' | 'later' | 'unready'; reason: string };

/** What a message needs cannot be made at the moment, for a bound of ours: that is no attempt. */
export class NotReadyError extends Error {
  override readonly name = 'NotReadyError';
}

/** What is offered to a provider, and how often it was, this time included. */
export interface Offer {
  id: string;
  provider: string;
  attempts: number;
  /** Before the claim was asked for, by `performance.now()`: the lease begins later. */
  claimedAt: number;
  prepare: () => OutgoingMessage | Promise<OutgoingMessage>;
}

/** Offers something to its provider, once. */
export async function handOver(
  { id, provider: name, attempts, claimedAt, prepare }: Offer,
  { providers, logger }: { providers: Providers; logger: Logger },
): Promise<Result> {
  // Every attempt counts that was begun: a message that kills its worker each time comes to an end too.
  if (attempts > MAX_ATTEMPTS) return { outcome: 'refused', reason: 'Its delivery broke off repeatedly.' };
  const provider = providers[name];
  // A newer version's, which is being rolled out: it knows what to do.
  if (!provider) return { outcome: 'later', reason: `Nobody here knows the provider ${name}.` };
  try {
    const message = await withDeadline(Promise.resolve().then(prepare), {
      ms: claimedAt + PREPARED_WITHIN_MS - performance.now(),
      error: new NotReadyError('Its PDF was not ready in time.'),
    });
    await withDeadline(provider.send(message), {
      ms: SEND_DEADLINE_MS,
      error: new DeliveryError('The provider did not answer in time.', false),
    });
    return { outcome: 'accepted' };
  } catch (error) {
    if (error instanceof NotReadyError) return { outcome: 'unready', reason: error.message };
    if (!(error instanceof DeliveryError)) {
      logger.error({ err: error, messageId: id }, 'a message could not be prepared');
      return { outcome: 'later', reason: 'Something went wrong on our side.' };
    }
    return { outcome: error.permanent ? 'refused' : 'later', reason: error.message };
  }
}

/** The wait until something is offered again that was not accepted; undefined: never. */
export function waitAfter({ outcome }: Result, attempts: number): Wait | undefined {
  if (outcome === 'unready') return { seconds: UNREADY_SECONDS, wasOffered: false };
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
 * Asks again while PostgreSQL is away, as long as the lease lasts: forgetting an acceptance would
 * mean a second copy.
 */
export async function untilStored(claimedAt: number, store: () => Promise<void>): Promise<void> {
  const deadline = claimedAt + LEASE_SECONDS * 1000;
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isTransientDatabaseError(error) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
    }
  }
}
