import type { Config } from '../../shared/platform/config.js';
import { AppError } from '../../shared/platform/errors.js';
import type { AnyContext } from '../context.js';

const COOKIE = 'tow_session';
/**
 * A browser takes a cookie of this prefix over TLS alone and for this very host: no other site of
 * its domain can plant one (RFC 6265bis, 4.1.3.2).
 */
const PRODUCTION_COOKIE = `__Host-${COOKIE}`;

interface CookieHolder {
  config: Pick<Config, 'baseUrl' | 'production'>;
}

function cookieName({ production }: CookieHolder['config']): string {
  return production ? PRODUCTION_COOKIE : COOKIE;
}

/** The token in the cookie; undefined when there is no cookie. */
export function tokenOf({ config }: CookieHolder, ctx: AnyContext): string | undefined {
  return ctx.cookies.get(cookieName(config));
}

/** Gives the browser the token of a session, out of reach of any script. @param token undefined: takes it away */
export function setTokenCookie(
  { config }: CookieHolder,
  ctx: AnyContext,
  { token, expiresAt }: { token: string; expiresAt: Date } | { token?: undefined; expiresAt?: undefined },
): void {
  const isSecure = config.production || config.baseUrl?.startsWith('https:') || ctx.secure;
  const secure = isSecure ? ['Secure'] : [];
  const value = `${cookieName(config)}=${token ?? ''}`;
  const end = `Expires=${(expiresAt ?? new Date(0)).toUTCString()}`;
  // Written by hand: Koa's own refuses Secure on a connection that is plain behind a proxy that ends TLS.
  ctx.append('Set-Cookie', [value, 'Path=/', end, 'HttpOnly', 'SameSite=Lax', ...secure].join('; '));
}

/** Which of the account's two tenants a person means (decisions 6). @throws {AppError} 400 for anything but the two names. */
export function environmentOf(ctx: AnyContext): 'live' | 'sandbox' {
  const header = ctx.headers['x-environment'];
  if (header === undefined || header === 'live') return 'live';
  if (header === 'sandbox') return 'sandbox';
  const message = 'X-Environment must be live or sandbox, or be left out';
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'X-Environment', code: 'only', message }],
  });
}

/**
 * A browser sends its cookie whoever asks it to. Only a page of our own can send this header, and what it says of its origin must be ours
 * (decisions 10, Sign-in).
 */
export function assertOwnPage(holder: CookieHolder, ctx: AnyContext): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') return;
  if (ctx.get('X-Requested-With') === '') {
    throw new AppError(
      'forbidden',
      'Send the header X-Requested-With with every write of a signed-in person.',
    );
  }
  assertOwnOrigin(holder, ctx);
}

/** @throws {AppError} 403 when the request comes from a page of somebody else's. */
export function assertOwnOrigin({ config }: CookieHolder, ctx: AnyContext): void {
  const origin = ctx.get('Origin');
  if (origin === '') return;
  // The scheme is that of whoever ends TLS before us, so Host is compared without it.
  const host = ctx.get('Host').toLowerCase();
  const isOwn = host !== '' && URL.canParse(origin) && new URL(origin).host === host;
  if (isOwn || origin === ownOrigin(config)) return;
  throw new AppError('forbidden', 'This request comes from a page of another site.');
}

function ownOrigin({ baseUrl }: CookieHolder['config']): string | undefined {
  return baseUrl && new URL(baseUrl).origin;
}
