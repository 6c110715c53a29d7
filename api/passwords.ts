import type { SignIn } from '../shared/contracts/generated.js';
import {
  deriveKey,
  hashPassword,
  UNUSABLE_PASSWORD_HASH,
  verifyPassword,
} from '../shared/platform/crypto.js';
import { serviceUnavailable } from '../shared/platform/errors.js';
import { createFairLimit, TooManyWaitingError } from '../shared/platform/fair-limit.js';
import { networkOf, siteOf } from '../shared/platform/network-of.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { isKnownAddress, markNetwork } from '../shared/resources/sessions/known-addresses.js';
import { findCandidates, type SignInCandidate } from '../shared/resources/sessions/queries.js';
import { countSignInRequest, countTryOfNetwork, countTryOfPerson } from './sign-in-limits.js';

/**
 * A password takes 128 MiB for about half a second: more at once would take the process down, more
 * waiting would wait too long. Sites take turns, and within a site its networks; those from which
 * the person has signed in before do not wait behind all others.
 */
const CHECKS = { queues: ['known', 'unknown'], maxRunning: 2, maxQueued: 20 } as const;
/**
 * Apart from the checks: setting passwords must not keep anybody from signing in. Accounts take
 * turns.
 */
const HASHES = { queues: ['hash'], maxRunning: 1, maxQueued: 8 } as const;

/**
 * What this process does with passwords: a few at a time. All but `mark` throw {@link AppError} 503
 * when there is no room for one more.
 */
export interface Passwords {
  /** Before anything is read of a request. @throws {AppError} 429 for too many of them. */
  admit(address: string): Promise<void>;
  /**
   * Finds the person whose e-mail and password these are; undefined when they are nobody's.
   * @throws {AppError} 429 for too many tries.
   */
  check(given: SignIn, address: string): Promise<SignInCandidate | undefined>;
  /** The mark by which a person's address is known again once they have signed in from it. */
  mark(person: Pick<SignInCandidate, 'id'>, address: string): string;
  /** The hash that is stored of a password. @param tenantId whose turn it is */
  hash(password: string, tenantId: string): Promise<string>;
}

export function createPasswords({ limiter, db, config }: Runtime): Passwords {
  const [checks, hashes] = [createFairLimit(CHECKS), createFairLimit(HASHES)];
  const markKey = deriveKey(config.secretKey, 'sign-in-addresses');
  const mark: Passwords['mark'] = ({ id }, address) =>
    markNetwork(markKey, { userId: id, network: networkOf(address) });
  return {
    mark,
    admit: (address) => countSignInRequest(limiter, networkOf(address)),
    async check({ email, password, tenant_id: tenantId }, address) {
      const network = networkOf(address);
      await countTryOfNetwork(limiter, email, network);
      const candidates = await findCandidates(db, { email, tenantId });
      const known = candidates.filter((person) =>
        isKnownAddress(person.sign_in_addresses, mark(person, address), Date.now()),
      );
      const queue = known.length > 0 ? 'known' : 'unknown';
      return checks
        .run({ queue, group: network, site: siteOf(address) }, async () => {
          if (known.length > 0 && known.length === candidates.length) return pick(known, password);
          // Before the password is looked at: guesses side by side must not get past the count.
          const refusal = await countTryOfPerson(limiter, email);
          if (!refusal) return pick(candidates, password);
          const person = known.length > 0 ? await pick(known, password) : undefined;
          if (!person) throw refusal;
          return person;
        })
        .catch(refuseWhenFull);
    },
    hash: (password, tenantId) =>
      hashes.run({ queue: 'hash', group: tenantId }, () => hashPassword(password)).catch(refuseWhenFull),
  };
}

/** The first whose password it is: the same e-mail may belong to people of several tenants. */
async function pick(candidates: SignInCandidate[], password: string): Promise<SignInCandidate | undefined> {
  // An unknown e-mail costs the same work as a known one, so that the time of the answer tells nothing.
  if (candidates.length === 0) await verifyPassword(password, UNUSABLE_PASSWORD_HASH);
  for (const candidate of candidates)
    if (await verifyPassword(password, candidate.password_hash)) return candidate;
  return undefined;
}

function refuseWhenFull(error: unknown): never {
  if (!(error instanceof TooManyWaitingError)) throw error;
  throw serviceUnavailable('Too many passwords are being checked at this moment. Try again shortly.', error);
}
