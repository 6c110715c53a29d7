import type { Config } from '../../shared/config/config.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiContext } from '../runtime/context.js';

const COOKIE = 'tow_session';
/**
 * With the prefix `__Host-`, browsers accept the cookie only over TLS and only from this exact
 * host. Another host of the same domain cannot set the cookie (RFC 6265bis §4.1.3.2).
 */
const PRODUCTION_COOKIE = `__Host-${COOKIE}`;

interface CookieHolder {
  config: Pick<Config, 'baseUrl' | 'production'>;
}

function cookieName({ production }: CookieHolder['config']): string {
  return production ? PRODUCTION_COOKIE : COOKIE;
}

export function readSessionToken({ config }: CookieHolder, ctx: ApiContext): string | undefined {
  return ctx.cookies.get(cookieName(config));
}

/**
 * Sets or deletes the session cookie. Scripts in a page cannot read the cookie.
 * @param token undefined deletes the cookie
 */
export function setTokenCookie(
  { config }: CookieHolder,
  ctx: ApiContext,
  { token, expiresAt }: { token: string; expiresAt: Date } | { token?: undefined; expiresAt?: undefined },
): void {
  const isSecure = config.production || config.baseUrl?.startsWith('https:') || ctx.secure;
  const secure = isSecure ? ['Secure'] : [];
  const value = `${cookieName(config)}=${token ?? ''}`;
  const expires = `Expires=${(expiresAt ?? new Date(0)).toUTCString()}`;
  // Set the header directly. Koa's cookies.set refuses Secure on a plain connection, although a
  // proxy in front of this service may terminate TLS.
  ctx.append('Set-Cookie', [value, 'Path=/', expires, 'HttpOnly', 'SameSite=Lax', ...secure].join('; '));
}

/**
 * Reads X-Environment, by which a signed-in person selects one of the account's two tenants
 * (docs/decisions.md §6).
 * @throws {AppError} 400 for any value except `live` and `sandbox`
 */
export function readEnvironment(ctx: ApiContext): 'live' | 'sandbox' {
  const header = ctx.headers['x-environment'];
  if (header === undefined || header === 'live') return 'live';
  if (header === 'sandbox') return 'sandbox';
  const message = 'X-Environment must be live or sandbox, or be left out';
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'X-Environment', code: 'only', message }],
  });
}

/**
 * Prevents cross-site request forgery, in which a page of another site makes a browser send a
 * request with this service's cookie. Such a page cannot send X-Requested-With, so every write must
 * have this header. The Origin of a write must also match (docs/decisions.md §10, Sign-in).
 */
export function assertNoCsrf(holder: CookieHolder, ctx: ApiContext): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  if (ctx.get('X-Requested-With') === '') {
    throw new AppError(
      'forbidden',
      'Send the header X-Requested-With with every write of a signed-in person.',
    );
  }
  assertSameOrigin(holder, ctx);
}

/** @throws {AppError} 403 when the request comes from a page of another site */
export function assertSameOrigin({ config }: CookieHolder, ctx: ApiContext): void {
  const origin = ctx.get('Origin');
  if (origin === '') return;
  // Compare only the hosts. The schemes differ if a proxy terminates TLS.
  const host = ctx.get('Host').toLowerCase();
  const isOwn = host !== '' && URL.canParse(origin) && new URL(origin).host === host;
  if (isOwn || origin === getBaseOrigin(config)) return;
  throw new AppError('forbidden', 'This request comes from a page of another site.');
}

function getBaseOrigin({ baseUrl }: CookieHolder['config']): string | undefined {
  return baseUrl && new URL(baseUrl).origin;
}
