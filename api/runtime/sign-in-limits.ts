import { createRateLimitError } from '../../shared/http/rate-limit-response.js';
import { sha256 } from '../../shared/platform/crypto.js';
import type { AppError } from '../../shared/platform/errors.js';
import type { Limiter, RateDecision } from '../../shared/platform/limits/limiter.js';

/** Requests per network, valid or not: each body may be a megabyte. */
const REQUESTS_PER_NETWORK = { minute: 240, hour: 4800 };
/** Counts tries with any e-mail: trying one common password for many people is guessing too. */
const TRIES_PER_NETWORK = { minute: 120, hour: 1200 };
const TRIES_PER_EMAIL_AND_NETWORK = { minute: 20, hour: 200 };
/** Counts tries from all unknown networks. Kept high, so that attackers cannot lock people out. */
const TRIES_PER_EMAIL = { minute: 100, hour: 1000 };

/** @throws {AppError} 429 for too many requests of a network */
export async function countSignInRequest(limiter: Limiter, network: string): Promise<void> {
  assertAllowed(await limiter.consume(`sign-in-request/${network}`, REQUESTS_PER_NETWORK));
}

/**
 * Counts a try against its network, not yet against the person. If this try is refused or finds no
 * room in the queue, the person keeps all tries from other networks.
 * @throws {AppError} 429
 */
export async function countNetworkTry(limiter: Limiter, email: string, network: string): Promise<void> {
  assertAllowed(
    await limiter.consumeUnlessRefused(`sign-in-network/${network}`, TRIES_PER_NETWORK),
    await limiter.consumeUnlessRefused(`sign-in/${hashEmail(email)}/${network}`, TRIES_PER_EMAIL_AND_NETWORK),
  );
}

/** Counts a try against the person, from any network. Returns an error 429 at the limit. */
export async function countPersonTry(limiter: Limiter, email: string): Promise<AppError | undefined> {
  return createRefusal(await limiter.consumeUnlessRefused(`sign-in/${hashEmail(email)}`, TRIES_PER_EMAIL));
}

/** Redis may hold the hash, and a plain e-mail would reveal who works for the account. */
function hashEmail(email: string): string {
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
