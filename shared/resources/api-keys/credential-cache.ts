import { LRUCache } from 'lru-cache';
import type { Principal } from '../../contracts/principal.js';
import { AppError, isTransientDatabaseError, serviceUnavailable } from '../../platform/errors.js';
import { findNetworkPrefix } from '../../platform/limits/network-prefix.js';
import type { Runtime } from '../../platform/process/runtime.js';
import { isWellFormedKey } from './credential.js';
import { findKey } from './queries.js';

/**
 * The time for which the cache keeps a credential. It is so short that a revocation takes effect
 * within 5 s even if its broadcast is lost, as the reference of the API promises.
 */
const CACHE_TTL_MS = 4000;
/** A credential that is used so shortly before its entry expires is queried again meanwhile. */
const REFRESH_BEFORE_MS = 2000;
/** A request shares the query of earlier requests if it is not older than this. */
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
 * Opens the cache. A broadcast evicts the entries of a changed key, session or person. Requests
 * with the same credential share one query: otherwise a busy key's requests would all query at the
 * moment when its entry expires.
 */
export async function openCredentialCache({ bus }: Pick<Runtime, 'bus'>): Promise<Credentials> {
  const cache = new LRUCache<string, Principal>({
    max: MAX_CACHED_CREDENTIALS,
    ttl: CACHE_TTL_MS,
    ttlResolution: 0,
  });
  const queries = new Map<string, RunningQuery>();
  await bus.subscribe(KEY_CHANGED_CHANNEL, (changed) => {
    for (const { changedIds } of queries.values()) changedIds.add(changed);
    for (const [text, { id, session }] of cache.entries())
      if (id === changed || session?.id === changed) cache.delete(text);
  });
  const start = (credential: Credential): RunningQuery => {
    const { text } = credential;
    const startedAt = performance.now();
    const changedIds = new Set<string>();
    const running: RunningQuery = { startedAt, changedIds, found: credential.find().then(store) };
    queries.set(text, running);
    running.found
      .catch(() => undefined)
      .finally(() => {
        if (queries.get(text) === running) queries.delete(text);
      });
    return running;

    async function store(found: Principal | undefined): Promise<Principal | undefined> {
      // The query may have read the credential before its change.
      if (found && [found.id, found.session?.id].some((id) => id && changedIds.has(id)))
        return start(credential).found;
      if (queries.get(text) !== running) return found;
      // The entry expires as if it had been read when the query began.
      if (found) cache.set(text, found, { start: startedAt });
      else cache.delete(text);
      return found;
    }
  };
  const query = (credential: Credential): Promise<Principal | undefined> => {
    const running = queries.get(credential.text);
    const isRecent = running && performance.now() - running.startedAt < MAX_SHARED_QUERY_MS;
    return (isRecent ? running : start(credential)).found;
  };
  return {
    async find(credential) {
      const cached = cache.get(credential.text, { noDeleteOnStaleGet: true });
      if (cached) {
        // If this fails, the next request after the expiry reports it.
        if (cache.getRemainingTTL(credential.text) < REFRESH_BEFORE_MS)
          query(credential).catch(() => undefined);
        return ifValid(cached);
      }
      if (!credential.isWellFormed()) return undefined;
      return ifValid(
        await query(credential).catch((error: unknown) => {
          if (!isTransientDatabaseError(error)) throw error;
          throw serviceUnavailable('Credentials cannot be checked right now. Try again shortly.', error);
        }),
      );
    },
    findStale: (text) => cache.get(text, { allowStale: true, noDeleteOnStaleGet: true }),
  };
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
