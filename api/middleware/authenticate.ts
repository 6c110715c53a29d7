import { LRUCache } from 'lru-cache';
import type { Principal } from '../../shared/contracts/principal.js';
import { AppError, isTransientDatabaseError, serviceUnavailable } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { isWellFormedKey } from '../../shared/resources/api-keys/credential.js';
import { findKey } from '../../shared/resources/api-keys/queries.js';
import { findSession } from '../../shared/resources/sessions/queries.js';
import { isWellFormedToken } from '../../shared/resources/sessions/token.js';
import type { AnyContext, ApiMiddleware } from '../context.js';
import { assertOwnPage, environmentOf, tokenOf } from './session-cookie.js';

/** A revocation that the broadcast did not bring is seen when the entry runs out: within 5 s everywhere (decisions 6). */
const CACHE_MS = 4000;
const CACHED_CREDENTIALS = 10_000;

/** Broadcast of a changed credential: the id of the key, the session or the person whose it is. */
export const KEY_CHANGED_CHANNEL = 'tow:key-changed';

const REALM = { 'WWW-Authenticate': 'Bearer realm="tow-dispatch"' };

export function unauthorized(message: string): AppError {
  return new AppError('unauthorized', message, { headers: REALM });
}

/** What a request shows to prove whose it is. */
interface Credential {
  /** Two credentials of one text are the same. */
  text: string;
  /** Costs a hash, so it is asked of unknown ones only. */
  isWellFormed: () => boolean;
  find: () => Promise<Principal | undefined>;
  refusal: string;
}

/**
 * Finds who makes the request: the key behind `Authorization: Bearer …`, or the person behind the cookie of a session. The tenant comes from here and from
 * nowhere else. One code for every way a credential can be wrong; a store that cannot be asked is 503.
 */
export async function authenticate(runtime: Runtime): Promise<ApiMiddleware> {
  const cache = new LRUCache<string, Principal>({ max: CACHED_CREDENTIALS, ttl: CACHE_MS });
  await runtime.bus.subscribe(KEY_CHANGED_CHANNEL, (changed) => {
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
  return async (ctx, next) => {
    const credential = credentialOf(runtime, ctx);
    const keyNow = async () => validNow(await lookUp(credential));
    const key = await keyNow();
    if (!key) {
      await countBadCredential(runtime, ctx.ip);
      throw unauthorized(credential.refusal);
    }
    ctx.state.key = key;
    ctx.state.keyNow = keyNow;
    if (key.session) {
      // Caches on the way leave alone what has an Authorization header, but know nothing of our cookie.
      ctx.set('Cache-Control', 'no-store');
      assertOwnPage(runtime, ctx);
    }
    await next();
  };
}

/** Whoever sends a key means the key, also from a browser that has a cookie. */
function credentialOf({ db }: Runtime, ctx: AnyContext): Credential {
  const header = ctx.get('Authorization');
  const token = header ? undefined : tokenOf(ctx);
  if (token === undefined) {
    const text = bearerOf(header);
    return {
      text,
      isWellFormed: () => isWellFormedKey(text),
      find: () => findKey(db, text),
      refusal: 'This API key is not valid: it is unknown, revoked or expired.',
    };
  }
  const environment = environmentOf(ctx);
  return {
    text: `${environment} ${token}`,
    isWellFormed: () => isWellFormedToken(token),
    find: () => findSession(db, { token, environment }),
    refusal: 'You are not signed in any more. Sign in again.',
  };
}

function validNow(key: Principal | undefined): Principal | undefined {
  if (!key || key.revoked || (key.expiresAt !== null && key.expiresAt <= Date.now())) return undefined;
  return key;
}

function bearerOf(header: string): string {
  if (!header) throw unauthorized('Send your API key as "Authorization: Bearer <key>", or sign in.');
  const [, credential] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  return credential ?? '';
}

/** Guessing is limited per address; a valid key is never held up by it. */
export async function countBadCredential({ limiter, config }: Runtime, address: string): Promise<void> {
  if (await limiter.consumeBadCredential(address, config.badCredentialsPerMinute)) return;
  throw new AppError('rate_limited', 'Too many wrong credentials from this address. Wait a minute.', {
    headers: { ...REALM, 'Retry-After': '60' },
    details: [{ window: 'minute', limit: config.badCredentialsPerMinute }],
  });
}
