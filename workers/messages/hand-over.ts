import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import { DeliveryError, type OutgoingMessage } from '../../shared/resources/messages/provider.js';
import type { Providers } from './providers.js';

/** A provider that has not answered by then is taken for one that did not accept. */
const SEND_DEADLINE_MS = 120_000;
/** Longer than the deadline, so that no other worker offers the same message meanwhile. */
export const LEASE_SECONDS = 180;
/** Waits between attempts, 15 minutes in all. */
const RETRY_AFTER_SECONDS = [60, 120, 240, 480];
const MAX_ATTEMPTS = RETRY_AFTER_SECONDS.length + 1;
const STORE_RETRY_MS = 500;

export type Result = { outcome: 'accepted' } | { outcome: 'refused' | 'later'; reason: string };

/** What is offered to a provider, and how often it was, this time included. */
export interface Offer {
  id: string;
  provider: string;
  attempts: number;
  prepare: () => OutgoingMessage | Promise<OutgoingMessage>;
}

/** Offers something to its provider, once. */
export async function handOver(
  { id, provider: name, attempts, prepare }: Offer,
  { providers, logger }: { providers: Providers; logger: Logger },
): Promise<Result> {
  // Every attempt counts that was begun: a message that kills its worker each time comes to an end too.
  if (attempts > MAX_ATTEMPTS) return { outcome: 'refused', reason: 'Its delivery broke off repeatedly.' };
  const provider = providers[name];
  // A newer version's, which is being rolled out: it knows what to do.
  if (!provider) return { outcome: 'later', reason: `Nobody here knows the provider ${name}.` };
  try {
    await withDeadline(provider.send(await prepare()));
    return { outcome: 'accepted' };
  } catch (error) {
    if (!(error instanceof DeliveryError)) {
      logger.error({ err: error, messageId: id }, 'a message could not be prepared');
      return { outcome: 'later', reason: 'Something went wrong on our side.' };
    }
    return { outcome: error.permanent ? 'refused' : 'later', reason: error.message };
  }
}

/** Seconds until something is offered again that was not accepted; undefined: never. */
export function retryAfter(result: Result, attempts: number): number | undefined {
  return result.outcome === 'later' ? RETRY_AFTER_SECONDS[attempts - 1] : undefined;
}

async function withDeadline(sending: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new DeliveryError('The provider did not answer in time.', false);
    timer = setTimeout(() => reject(error), SEND_DEADLINE_MS);
  });
  await Promise.race([sending, late]).finally(() => clearTimeout(timer));
}

/** Asks again while PostgreSQL is away, as long as the lease lasts: forgetting an acceptance would mean a second copy. */
export async function untilStored(store: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + LEASE_SECONDS * 1000 - SEND_DEADLINE_MS;
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isTransientDatabaseError(error) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
    }
  }
}
