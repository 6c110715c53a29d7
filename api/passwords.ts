import type { SignIn } from '../shared/contracts/generated.js';
import { hashPassword, sha256, UNUSABLE_PASSWORD_HASH, verifyPassword } from '../shared/platform/crypto.js';
import { AppError, serviceUnavailable } from '../shared/platform/errors.js';
import { createGate, type Gate, GateFullError } from '../shared/platform/gate.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { findCandidates, type SignInCandidate } from '../shared/resources/sessions/queries.js';

/** A password takes 128 MiB for about half a second: more at once would take the process down, more waiting would wait too long. */
const CHECKS = { atOnce: 2, waiting: 20 };
/** Apart from the checks: who sets passwords, of whatever account, must not keep anybody from signing in. */
const MAKINGS = { atOnce: 1, waiting: 4 };

/** Tries of one e-mail from one address. */
const TRIES_OF_BOTH = { minute: 20, hour: 200 };
/** Tries of one e-mail from everywhere. High: it must be dear to keep a person out by guessing badly. */
const TRIES_OF_ONE_EMAIL = { minute: 100, hour: 1000 };
/** Requests of one address, valid or not: each may bring a megabyte to be read. */
const REQUESTS_OF_ONE_ADDRESS = { minute: 240, hour: 4800 };
/** Tries of one address with whatever e-mails: one common password for everybody is guessing as well. */
const TRIES_OF_ONE_ADDRESS = { minute: 120, hour: 1200 };

/** What this process does with passwords: a few at a time. Both throw {@link AppError} 503 when there is no room for one more. */
export interface Passwords {
  /** Before anything is read of a request. @throws {AppError} 429 for too many of them. */
  admit(address: string): Promise<void>;
  /** Tells whose e-mail and password these are; undefined when they are nobody's. @throws {AppError} 429 for too many tries. */
  check(given: SignIn, address: string): Promise<SignInCandidate | undefined>;
  /** The hash that is stored of a password. */
  hash(password: string): Promise<string>;
}

export function createPasswords(runtime: Runtime): Passwords {
  const [checks, makings] = [createGate(CHECKS), createGate(MAKINGS)];
  return {
    async admit(address) {
      assertWithin([await runtime.limiter.consume(`sign-in-request/${address}`, REQUESTS_OF_ONE_ADDRESS)]);
    },
    async check(given, address) {
      await assertMayTry(runtime, given.email, address);
      const candidates = await findCandidates(runtime.db, { email: given.email, tenantId: given.tenant_id });
      return runGated(checks, () => pick(candidates, given.password));
    },
    hash: (password) => runGated(makings, () => hashPassword(password)),
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

async function runGated<T>(gate: Gate, work: () => Promise<T>): Promise<T> {
  return gate.run(work).catch((error: unknown) => {
    if (!(error instanceof GateFullError)) throw error;
    throw serviceUnavailable(
      'Too many passwords are being checked at this moment. Try again shortly.',
      error,
    );
  });
}

/** Every try counts, right or wrong, before it is made: guesses side by side must not get past the count. */
async function assertMayTry({ limiter }: Runtime, email: string, address: string): Promise<void> {
  // Hashed: a limiter's keys may lie in Redis, and an e-mail says who works here.
  const person = sha256(email.toLowerCase()).toString('base64url');
  assertWithin([
    await limiter.consume(`sign-in/${person}/${address}`, TRIES_OF_BOTH),
    await limiter.consume(`sign-in/${person}`, TRIES_OF_ONE_EMAIL),
    await limiter.consume(`sign-in/${address}`, TRIES_OF_ONE_ADDRESS),
  ]);
}

function assertWithin(decisions: Awaited<ReturnType<Runtime['limiter']['consume']>>[]): void {
  const over = decisions.flatMap(({ windows }) => windows.filter(({ remaining }) => remaining < 0));
  if (over.length === 0) return;
  const retryAfter = Math.max(...over.map(({ resetSeconds }) => resetSeconds));
  throw new AppError('rate_limited', `Too many tries to sign in. Try again in ${retryAfter} s.`, {
    headers: { 'Retry-After': String(retryAfter) },
    details: over.map(({ window, limit, resetSeconds }) => ({ window, limit, retry_after: resetSeconds })),
  });
}
