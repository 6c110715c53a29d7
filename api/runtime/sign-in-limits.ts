import { createRateLimitError } from '../../shared/http/rate-limit-response.js';
import { sha256 } from '../../shared/platform/crypto.js';
import type { AppError } from '../../shared/platform/errors.js';
import type { Limiter, RateDecision } from '../../shared/platform/limits/limiter.js';

/**
 * The limit for a network's sign-in requests. Invalid requests count too, because each body may be
 * a megabyte.
 */
const REQUESTS_PER_NETWORK = { minute: 240, hour: 4800 };
/**
 * The limit for a network's tries with all e-mails together. Trying one common password with many
 * e-mails is also guessing.
 */
const TRIES_PER_NETWORK = { minute: 120, hour: 1200 };
const TRIES_PER_EMAIL_AND_NETWORK = { minute: 20, hour: 200 };
/**
 * The limit for tries with one e-mail from all unknown networks together. The limit is high, so
 * that attackers cannot easily lock the person out.
 */
const TRIES_PER_EMAIL = { minute: 100, hour: 1000 };

/**
 * The limit for tries to prove a second factor. Of a million possible codes, three are valid at a
 * time. An attacker who has the password and tries for a whole month succeeds with a probability of
 * 4 %.
 */
const FACTOR_TRIES = { minute: 5, hour: 20 };

/**
 * Counts a try to prove a second factor.
 * @param counter names the session, or the person who has given the password
 * @throws {AppError} 429 after too many tries
 */
export async function countFactorTry(limiter: Limiter, counter: string): Promise<void> {
  assertAllowed(await limiter.consumeUnlessRefused(`factor/${counter}`, FACTOR_TRIES));
}

/** @throws {AppError} 429 if the network has sent too many requests */
export async function countSignInRequest(limiter: Limiter, network: string): Promise<void> {
  assertAllowed(await limiter.consume(`sign-in-request/${network}`, REQUESTS_PER_NETWORK));
}

/**
 * Counts a try against its network, and against the pair of e-mail and network.
 * {@link countPersonTry} counts the try against the e-mail only once the password check begins. So
 * earlier refusals do not use up the person's tries from other networks.
 * @throws {AppError} 429 after too many tries
 */
export async function countNetworkTry(limiter: Limiter, email: string, network: string): Promise<void> {
  assertAllowed(
    await limiter.consumeUnlessRefused(`sign-in-network/${network}`, TRIES_PER_NETWORK),
    await limiter.consumeUnlessRefused(`sign-in/${hashEmail(email)}/${network}`, TRIES_PER_EMAIL_AND_NETWORK),
  );
}

/**
 * Counts a try against the e-mail, for all networks together. Returns a 429 error if the limit is
 * reached.
 */
export async function countPersonTry(limiter: Limiter, email: string): Promise<AppError | undefined> {
  return createRefusal(await limiter.consumeUnlessRefused(`sign-in/${hashEmail(email)}`, TRIES_PER_EMAIL));
}

/**
 * Hashes the e-mail. The limiter may store its keys in Redis, where a plain e-mail would reveal who
 * works for the account.
 */
export function hashEmail(email: string): string {
  return sha256(email.toLowerCase()).toString('base64url');
}

function assertAllowed(...decisions: RateDecision[]): void {
  const refusal = createRefusal(...decisions);
  if (refusal) throw refusal;
}

function createRefusal(...decisions: RateDecision[]): AppError | undefined {
  const windows = decisions.flatMap((decision) => decision.windows);
  return createRateLimitError(windows, () => 'Too many tries to sign in.');
}
