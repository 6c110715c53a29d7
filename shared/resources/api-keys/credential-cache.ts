import { LRUCache } from 'lru-cache';
import type { Principal } from '../../contracts/principal.js';
import { AppError, isTransientDatabaseError, serviceUnavailable } from '../../platform/errors.js';
import { findNetworkPrefix } from '../../platform/limits/network-prefix.js';
import type { Runtime } from '../../platform/process/runtime.js';
import { isWellFormedKey } from './credential.js';
import { findKey } from './queries.js';

/**
 * The time for which the cache keeps a credential. It must stay below 5 s: the API reference
 * promises that a revocation takes effect within 5 s, and the revocation's broadcast may be lost.
 */
const CACHE_TTL_MS = 4000;
/**
 * A cache entry that expires within this time is still used. The request that uses the entry also
 * starts a query, which renews the entry in the background.
 */
const REFRESH_BEFORE_MS = 2000;
/** Maximum age of a running query whose result a new request may share. */
const MAX_SHARED_QUERY_MS = 500;
const MAX_CACHED_CREDENTIALS = 10_000;

/**
 * The bus channel for changed credentials. Each broadcast contains the id of a changed key, session
 * or person.
 */
export const KEY_CHANGED_CHANNEL = 'tow:key-changed';

const REALM = { 'WWW-Authenticate': 'Bearer realm="tow-dispatch"' };

/** Builds a 401. Every missing or invalid credential gets the same error code. */
function unauthorizedError(message: string): AppError {
  return new AppError('unauthorized', message, { headers: REALM });
}

export interface Credential {
  /** Identifies the cache entry of the credential. */
  text: string;
  /**
   * Checks whether the credential has the right form. The check takes time, so it runs only for
   * credentials that are not in the cache.
   */
  isWellFormed: () => boolean;
  find: () => Promise<Principal | undefined>;
  refusalMessage: string;
}

interface RunningQuery {
  startedAt: number;
  /** The ids of keys, sessions and people that have changed since the query began. */
  changedIds: Set<string>;
  found: Promise<Principal | undefined>;
}

/** Finds the principals of credentials, and caches them for some seconds. */
export interface Credentials {
  /**
   * Returns undefined if the credential is not valid.
   * @throws {AppError} 503 if PostgreSQL is unreachable
   */
  find: (credential: Credential) => Promise<Principal | undefined>;
  /**
   * Returns the principal of a cached credential, by its text. The entry may have expired, so the
   * principal must not get access.
   */
  findStale: (text: string) => Principal | undefined;
}

/**
 * Opens the cache. A broadcast evicts the entries of a changed key, session or person.
 */
export async function openCredentialCache({ bus }: Pick<Runtime, 'bus'>): Promise<Credentials> {
  const cache = new CredentialCache();
  await bus.subscribe(KEY_CHANGED_CHANNEL, (changed) => cache.evict(changed));
  return {
    find: (credential) => cache.find(credential),
    findStale: (text) => cache.findStale(text),
  };
}

/**
 * Lets requests with the same credential share one query. Otherwise all requests of a busy key
 * would query when its entry expires.
 */
class CredentialCache implements Credentials {
  private readonly cache = new LRUCache<string, Principal>({
    max: MAX_CACHED_CREDENTIALS,
    ttl: CACHE_TTL_MS,
    ttlResolution: 0,
  });
  /** The running queries, by the text of the credential. */
  private readonly queries = new Map<string, RunningQuery>();

  async find(credential: Credential): Promise<Principal | undefined> {
    const { text } = credential;
    const cached = this.cache.get(text, { noDeleteOnStaleGet: true });
    if (cached) {
      // Ignore a failure of this early renewal. The first request after the entry's expiry queries
      // again, and then reports a failure.
      if (this.cache.getRemainingTTL(text) < REFRESH_BEFORE_MS) this.query(credential).catch(() => undefined);
      return ifValid(cached);
    }
    if (!credential.isWellFormed()) return undefined;
    const found = await this.query(credential).catch((error: unknown) => {
      if (!isTransientDatabaseError(error)) throw error;
      throw serviceUnavailable('Credentials cannot be checked right now. Try again shortly.', error);
    });
    return ifValid(found);
  }

  findStale(text: string): Principal | undefined {
    return this.cache.get(text, { allowStale: true, noDeleteOnStaleGet: true });
  }

  /** @param changed the id of a key, session or person */
  evict(changed: string): void {
    for (const { changedIds } of this.queries.values()) changedIds.add(changed);
    for (const [text, { id, session }] of this.cache.entries())
      if (id === changed || session?.id === changed) this.cache.delete(text);
  }

  private query(credential: Credential): Promise<Principal | undefined> {
    const running = this.queries.get(credential.text);
    const isRecent = running && performance.now() - running.startedAt < MAX_SHARED_QUERY_MS;
    return (isRecent ? running : this.start(credential)).found;
  }

  private start(credential: Credential): RunningQuery {
    const running: RunningQuery = {
      startedAt: performance.now(),
      changedIds: new Set(),
      found: credential.find().then((found) => this.store(credential, running, found)),
    };
    this.queries.set(credential.text, running);
    const end = () => {
      if (this.queries.get(credential.text) === running) this.queries.delete(credential.text);
    };
    running.found.then(end, end);
    return running;
  }

  private async store(
    credential: Credential,
    running: RunningQuery,
    found: Principal | undefined,
  ): Promise<Principal | undefined> {
    const ids = found ? [found.id, found.session?.id] : [];
    // If the credential has changed since the query began, the query may have read the old state.
    // Query again.
    if (ids.some((id) => id && running.changedIds.has(id))) return this.start(credential).found;
    if (this.queries.get(credential.text) !== running) return found;
    // Count the entry's lifetime from the start of the query, because the credential may have
    // changed since then.
    if (found) this.cache.set(credential.text, found, { start: running.startedAt });
    else this.cache.delete(credential.text);
    return found;
  }
}

function ifValid(principal: Principal | undefined): Principal | undefined {
  if (!principal || principal.revoked || (principal.expiresAt !== null && principal.expiresAt <= Date.now()))
    return undefined;
  return principal;
}

/** Returns the text of the key in an Authorization header, or undefined if it contains none. */
export function readBearerKey(header: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header)?.[1];
}

/**
 * Reads an API key from the Authorization header.
 * @param ifNoKey the error message if the header contains no key
 * @throws {AppError} 401 if the header is missing
 */
export function readKeyCredential({ db }: Pick<Runtime, 'db'>, header: string, ifNoKey: string): Credential {
  if (!header) throw unauthorizedError(ifNoKey);
  const text = readBearerKey(header);
  return {
    text: text ?? '',
    isWellFormed: () => text !== undefined && isWellFormedKey(text),
    find: () => findKey(db, text ?? ''),
    refusalMessage: text ? 'This API key is not valid: it is unknown, revoked or expired.' : ifNoKey,
  };
}

/**
 * Counts a wrong credential against the limit of the client's network, which makes guessing slow.
 * Requests with a valid key do not count.
 * @throws {AppError} 429 if the network has sent too many wrong credentials
 */
export async function countBadCredential(
  { limiter, config }: Pick<Runtime, 'limiter' | 'config'>,
  address: string,
): Promise<void> {
  if (await limiter.consumeBadCredential(findNetworkPrefix(address), config.badCredentialsPerMinute)) return;
  throw new AppError('rate_limited', 'Too many wrong credentials from this address. Wait a minute.', {
    headers: { ...REALM, 'Retry-After': '60' },
    details: [{ window: 'minute', limit: config.badCredentialsPerMinute }],
  });
}

/**
 * Counts a wrong credential and refuses its request.
 * @throws {AppError} 401 with `message`; 429 if the network has sent too many wrong credentials
 */
export async function refuseCredential(
  runtime: Pick<Runtime, 'limiter' | 'config'>,
  address: string,
  message: string,
): Promise<never> {
  await countBadCredential(runtime, address);
  throw unauthorizedError(message);
}
