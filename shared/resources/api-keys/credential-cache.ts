import { LRUCache } from 'lru-cache';
import type { Principal } from '../../contracts/principal.js';
import { AppError, isTransientDatabaseError, serviceUnavailable } from '../../platform/errors.js';
import { networkOf } from '../../platform/network-of.js';
import type { Runtime } from '../../platform/runtime.js';
import { isWellFormedKey } from './credential.js';
import { findKey } from './queries.js';

/** A revocation that the broadcast did not bring is seen when the entry runs out: within 5 s everywhere (decisions 6). */
const CACHE_MS = 4000;
const CACHED_CREDENTIALS = 10_000;

/** Broadcast of a changed credential: the id of the key, the session or the person whose it is. */
export const KEY_CHANGED_CHANNEL = 'tow:key-changed';

const REALM = { 'WWW-Authenticate': 'Bearer realm="tow-dispatch"' };

/** One code for every way a credential can be missing or wrong. */
export function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: REALM });
}

/** What a request shows to prove whose it is. */
export interface Credential {
  /** Two credentials of one text are the same. */
  text: string;
  /** Costs a hash, so it is asked of unknown ones only. */
  isWellFormed: () => boolean;
  find: () => Promise<Principal | undefined>;
  refusal: string;
}

/** Finds who shows a credential; undefined when nobody valid does. @throws {AppError} 503 when the store cannot be asked */
export type FindPrincipal = (credential: Credential) => Promise<Principal | undefined>;

/** The credentials that this process has seen in the last seconds, dropped as soon as one is told to have changed. */
export async function openCredentialCache({ bus }: Pick<Runtime, 'bus'>): Promise<FindPrincipal> {
  const cache = new LRUCache<string, Principal>({ max: CACHED_CREDENTIALS, ttl: CACHE_MS });
  await bus.subscribe(KEY_CHANGED_CHANNEL, (changed) => {
    for (const [text, { id, session }] of cache.entries())
      if (id === changed || session?.id === changed) cache.delete(text);
  });
  const lookUp = async ({ text, isWellFormed, find }: Credential): Promise<Principal | undefined> => {
    const cached = cache.get(text);
    if (cached) return cached;
    if (!isWellFormed()) return undefined;
    const found = await find().catch((error: unknown) => {
      if (!isTransientDatabaseError(error)) throw error;
      throw serviceUnavailable('Credentials cannot be checked right now. Try again shortly.', error);
    });
    if (found) cache.set(text, found);
    return found;
  };
  return async (credential) => validNow(await lookUp(credential));
}

function validNow(key: Principal | undefined): Principal | undefined {
  if (!key || key.revoked || (key.expiresAt !== null && key.expiresAt <= Date.now())) return undefined;
  return key;
}

/** The key in `Authorization: Bearer …`. @throws {AppError} 401 when there is no such header */
export function keyCredential({ db }: Pick<Runtime, 'db'>, header: string, ifNoKey: string): Credential {
  if (!header) throw unauthorized(ifNoKey);
  const text = /^Bearer +(\S+)$/i.exec(header)?.[1];
  return {
    text: text ?? '',
    isWellFormed: () => text !== undefined && isWellFormedKey(text),
    find: () => findKey(db, text ?? ''),
    refusal: text ? 'This API key is not valid: it is unknown, revoked or expired.' : ifNoKey,
  };
}

/** Guessing is limited per address; a valid key is never held up by it. @throws {AppError} 429 */
export async function countBadCredential(
  { limiter, config }: Pick<Runtime, 'limiter' | 'config'>,
  address: string,
): Promise<void> {
  if (await limiter.consumeBadCredential(networkOf(address), config.badCredentialsPerMinute)) return;
  throw new AppError('rate_limited', 'Too many wrong credentials from this address. Wait a minute.', {
    headers: { ...REALM, 'Retry-After': '60' },
    details: [{ window: 'minute', limit: config.badCredentialsPerMinute }],
  });
}
