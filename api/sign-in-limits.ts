import { sha256 } from '../shared/platform/crypto.js';
import { AppError } from '../shared/platform/errors.js';
import type { Limiter, RateDecision } from '../shared/platform/limiter.js';

/** Requests of one network, valid or not: each may bring a megabyte to be read. */
const REQUESTS_OF_ONE_NETWORK = { minute: 240, hour: 4800 };
/**
 * Tries of one network with whatever e-mails: one common password for everybody is guessing as
 * well.
 */
const TRIES_OF_ONE_NETWORK = { minute: 120, hour: 1200 };
/** Tries of one e-mail from one network. */
const TRIES_OF_BOTH = { minute: 20, hour: 200 };
/**
 * Tries of one e-mail from all unknown networks. Kept high so that an attacker cannot cheaply lock
 * someone out.
 */
const TRIES_OF_ONE_EMAIL = { minute: 100, hour: 1000 };

/** @throws {AppError} 429 for too many requests of a network */
export async function countSignInRequest(limiter: Limiter, network: string): Promise<void> {
  assertAllowed(await limiter.consume(`sign-in-request/${network}`, REQUESTS_OF_ONE_NETWORK));
}

/**
 * Counts a try against its network. It is not counted against the person yet: a network that is
 * refused here, or finds no place to wait, must not use up the tries that the person has elsewhere.
 * @throws {AppError} 429
 */
export async function countTryOfNetwork(limiter: Limiter, email: string, network: string): Promise<void> {
  assertAllowed(
    await limiter.consumeUnlessRefused(`sign-in-network/${network}`, TRIES_OF_ONE_NETWORK),
    await limiter.consumeUnlessRefused(`sign-in/${hashEmail(email)}/${network}`, TRIES_OF_BOTH),
  );
}

/**
 * Counts a try against the person, from wherever it comes. Resolves with the refusal: 429 for too
 * many.
 */
export async function countTryOfPerson(limiter: Limiter, email: string): Promise<AppError | undefined> {
  return refusalOf(await limiter.consumeUnlessRefused(`sign-in/${hashEmail(email)}`, TRIES_OF_ONE_EMAIL));
}

/** Hashed: a limiter's keys may lie in Redis, and an e-mail says who works here. */
function hashEmail(email: string): string {
  return sha256(email.toLowerCase()).toString('base64url');
}

function assertAllowed(...decisions: RateDecision[]): void {
  const refusal = refusalOf(...decisions);
  if (refusal) throw refusal;
}

function refusalOf(...decisions: RateDecision[]): AppError | undefined {
  const over = decisions.flatMap(({ windows }) => windows.filter(({ remaining }) => remaining < 0));
  if (over.length === 0) return undefined;
  const retryAfter = Math.max(...over.map(({ resetSeconds }) => resetSeconds));
  return new AppError('rate_limited', `Too many tries to sign in. Try again in ${retryAfter} s.`, {
    headers: { 'Retry-After': String(retryAfter) },
    details: over.map(({ window, limit, resetSeconds }) => ({ window, limit, retry_after: resetSeconds })),
  });
}
