import { LRUCache } from 'lru-cache';
import { AppError, isTransientDatabaseError, serviceUnavailable } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { isWellFormedKey } from '../../shared/resources/api-keys/credential.js';
import { findKey, type KeyRecord } from '../../shared/resources/api-keys/queries.js';
import type { ApiMiddleware } from '../context.js';

/** A revocation that the broadcast did not bring is seen when the entry runs out: within 5 s everywhere (decisions 6). */
const CACHE_MS = 4000;
const CACHED_KEYS = 10_000;

/** Broadcast of a changed key: its id. */
export const KEY_CHANGED_CHANNEL = 'tow:key-changed';

const REALM = { 'WWW-Authenticate': 'Bearer realm="tow-dispatch"' };

function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: REALM });
}

/**
 * Finds the key behind `Authorization: Bearer …`. The tenant comes from here and from nowhere else. One code for every way a credential can be
 * wrong; a store that cannot be asked is 503.
 */
export async function authenticate(runtime: Runtime): Promise<ApiMiddleware> {
  const cache = new LRUCache<string, KeyRecord>({ max: CACHED_KEYS, ttl: CACHE_MS });
  await runtime.bus.subscribe(KEY_CHANGED_CHANNEL, (keyId) => {
    for (const [credential, record] of cache.entries()) if (record.id === keyId) cache.delete(credential);
  });
  const lookUp = async (credential: string): Promise<KeyRecord | undefined> => {
    const cached = cache.get(credential);
    if (cached) return cached;
    if (!isWellFormedKey(credential)) return undefined;
    const found = await findKey(runtime.db, credential).catch((error: unknown) => {
      if (!isTransientDatabaseError(error)) throw error;
      throw serviceUnavailable('Credentials cannot be checked right now. Try again shortly.', error);
    });
    if (found) cache.set(credential, found);
    return found;
  };
  return async (ctx, next) => {
    const credential = bearerOf(ctx.get('Authorization'));
    const keyNow = async () => validNow(await lookUp(credential));
    const key = await keyNow();
    if (!key) {
      await countBadCredential(runtime, ctx.ip);
      throw unauthorized('This API key is not valid: it is unknown, revoked or expired.');
    }
    ctx.state.key = key;
    ctx.state.keyNow = keyNow;
    await next();
  };
}

function validNow(key: KeyRecord | undefined): KeyRecord | undefined {
  if (!key || key.revoked || (key.expiresAt !== null && key.expiresAt <= Date.now())) return undefined;
  return key;
}

function bearerOf(header: string): string {
  if (!header) throw unauthorized('Send your API key as "Authorization: Bearer <key>".');
  const [, credential] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  return credential ?? '';
}

/** Guessing is limited per address; a valid key is never held up by it. */
async function countBadCredential({ limiter, config }: Runtime, address: string): Promise<void> {
  if (await limiter.consumeBadCredential(address, config.badCredentialsPerMinute)) return;
  throw new AppError('rate_limited', 'Too many wrong credentials from this address. Wait a minute.', {
    headers: { ...REALM, 'Retry-After': '60' },
    details: [{ window: 'minute', limit: config.badCredentialsPerMinute }],
  });
}
