import type { SignIn } from '../../shared/contracts/generated.js';
import { hashPassword, UNUSABLE_PASSWORD_HASH, verifyPassword } from '../../shared/platform/crypto.js';
import { serviceUnavailable } from '../../shared/platform/errors.js';
import { createFairLimit, TooManyWaitingError } from '../../shared/platform/limits/fair-limit.js';
import { findNetworkPrefix, findSitePrefix } from '../../shared/platform/limits/network-prefix.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import {
  deriveSignInAddressesKey,
  hashNetwork,
  isKnownAddress,
} from '../../shared/resources/sessions/known-addresses.js';
import { findSignInCandidates, type SignInCandidate } from '../../shared/resources/sessions/queries.js';
import { countNetworkTry, countPersonTry, countSignInRequest } from './sign-in-limits.js';

/**
 * The limits for concurrent password checks. A check uses 128 MiB for about half a second. Sites
 * (see `findSitePrefix`) share the capacity fairly, and so do the networks within a site. The queue
 * `known` is for networks from which the person has signed in before.
 */
const CHECK_LIMITS = { queues: ['known', 'unknown'], maxRunning: 2, maxQueued: 20 } as const;
/**
 * The limits for hashing new passwords. They are separate from `CHECK_LIMITS`, so that setting
 * passwords cannot block sign-ins. Sign-ups wait in the queue `strangers`, because an attacker with
 * many networks can fill it.
 */
const HASH_LIMITS = { queues: ['accounts', 'strangers'], maxRunning: 1, maxQueued: 8 } as const;

/**
 * Checks and hashes passwords, within the concurrency limits of this process. `findPerson`, `hash`
 * and `hashForStranger` throw an AppError 503 when too many requests wait.
 */
export interface Passwords {
  /**
   * Counts a sign-in request before its body is read.
   * @throws {AppError} 429 for too many requests
   */
  countRequest(address: string): Promise<void>;
  /**
   * Finds the person with this e-mail and password. Returns undefined if no person matches.
   * @throws {AppError} 429 for too many tries
   */
  findPerson(given: SignIn, address: string): Promise<SignInCandidate | undefined>;
  /**
   * Returns a keyed hash of the address's network. At the person's next sign-in, the hash shows
   * whether the network is known.
   */
  hashNetwork(person: Pick<SignInCandidate, 'id'>, address: string): string;
  /** True if the password has this hash. */
  isMatch(given: { password: string; hash: string; address: string }): Promise<boolean>;
  /** Hashes a new password within the fair share of the account `tenantId`. */
  hash(given: { password: string; tenantId: string }): Promise<string>;
  /** Hashes the password of a person who has no account yet. */
  hashForStranger(given: { password: string; address: string }): Promise<string>;
}

export function createPasswords({ limiter, db, config }: Runtime): Passwords {
  const [checks, hashes] = [createFairLimit(CHECK_LIMITS), createFairLimit(HASH_LIMITS)];
  const markKey = deriveSignInAddressesKey(config);
  const mark: Passwords['hashNetwork'] = ({ id }, address) =>
    hashNetwork(markKey, { userId: id, network: findNetworkPrefix(address) });
  return {
    hashNetwork: mark,
    countRequest: (address) => countSignInRequest(limiter, findNetworkPrefix(address)),
    async findPerson({ email, password, tenant_id: tenantId }, address) {
      const network = findNetworkPrefix(address);
      await countNetworkTry(limiter, email, network);
      const candidates = await findSignInCandidates(db, { email, tenantId });
      const known = candidates.filter((person) =>
        isKnownAddress(person.sign_in_addresses, mark(person, address), Date.now()),
      );
      const queue = known.length > 0 ? 'known' : 'unknown';
      return checks
        .run({ queue, group: network, site: findSitePrefix(address) }, async () => {
          if (known.length > 0 && known.length === candidates.length)
            return findPasswordMatch(known, password);
          // Count the try before checking the password. Otherwise concurrent guesses could exceed
          // the limit.
          const refusal = await countPersonTry(limiter, email);
          if (!refusal) return findPasswordMatch(candidates, password);
          const person = known.length > 0 ? await findPasswordMatch(known, password) : undefined;
          if (!person) throw refusal;
          return person;
        })
        .catch(refuseWhenFull);
    },
    isMatch: ({ password, hash, address }) =>
      checks
        .run({ queue: 'unknown', group: findNetworkPrefix(address), site: findSitePrefix(address) }, () =>
          verifyPassword(password, hash),
        )
        .catch(refuseWhenFull),
    hash: ({ password, tenantId }) =>
      hashes.run({ queue: 'accounts', group: tenantId }, () => hashPassword(password)).catch(refuseWhenFull),
    hashForStranger: ({ password, address }) =>
      hashes
        .run({ queue: 'strangers', group: findNetworkPrefix(address), site: findSitePrefix(address) }, () =>
          hashPassword(password),
        )
        .catch(refuseWhenFull),
  };
}

/**
 * Returns the first candidate with this password. People of different tenants may have the same
 * e-mail, so there may be several candidates.
 */
async function findPasswordMatch(
  candidates: SignInCandidate[],
  password: string,
): Promise<SignInCandidate | undefined> {
  // Check a password even if no person has this e-mail. Otherwise the response time would reveal
  // whether the e-mail is known.
  if (candidates.length === 0) await verifyPassword(password, UNUSABLE_PASSWORD_HASH);
  for (const candidate of candidates)
    if (await verifyPassword(password, candidate.password_hash)) return candidate;
  return undefined;
}

function refuseWhenFull(error: unknown): never {
  if (!(error instanceof TooManyWaitingError)) throw error;
  throw serviceUnavailable('Too many passwords are being checked at this moment. Try again shortly.', error);
}
