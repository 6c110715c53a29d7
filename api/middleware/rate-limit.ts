import type { Principal } from '../../shared/contracts/principal.js';
import { AppError } from '../../shared/platform/errors.js';
import type { WindowState } from '../../shared/platform/limiter.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { AnyContext, ApiMiddleware } from '../context.js';

const WINDOW_SECONDS = { minute: 60, hour: 3600 } as const;

/**
 * Counts the request against the minute and the hour of its key or person (decisions 6, Tier). Headers: X-RateLimit-Remaining of the specification, and
 * RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers.
 */
export function limitRate(runtime: Runtime): ApiMiddleware {
  return async (ctx, next) => {
    const { key } = ctx.state;
    const decision = await runtime.limiter.consume(countedAs(key), runtime.config.tiers[key.tier]);
    ctx.state.windows = decision.windows;
    setHeaders(ctx, decision.windows);
    if (!decision.allowed) throw tooMany(decision.windows, key.tier);
    await next();
  };
}

/** A person has the limits of the sandbox beside those of the live tenant, as two keys would. */
function countedAs({ kind, id, tenantId }: Principal): string {
  return kind === 'user' ? `${id}/${tenantId}` : id;
}

function setHeaders(ctx: AnyContext, windows: WindowState[]): void {
  const left = (state: WindowState) => Math.max(0, state.remaining);
  ctx.set('X-RateLimit-Remaining', String(Math.min(...windows.map(left))));
  ctx.set(
    'RateLimit-Policy',
    windows.map((w) => `"${w.window}";q=${w.limit};w=${WINDOW_SECONDS[w.window]}`).join(', '),
  );
  ctx.set('RateLimit', windows.map((w) => `"${w.window}";r=${left(w)};t=${w.resetSeconds}`).join(', '));
}

function tooMany(windows: WindowState[], tier: string): AppError {
  const over = windows.filter((state) => state.remaining < 0);
  const retryAfter = Math.max(...over.map((state) => state.resetSeconds));
  return new AppError(
    'rate_limited',
    `Over the ${tier} limit of ${over.map((w) => `${w.limit} requests per ${w.window}`).join(' and ')}. Try again in ${retryAfter} s.`,
    {
      headers: { 'Retry-After': String(retryAfter) },
      details: over.map(({ window, limit, resetSeconds }) => ({ window, limit, retry_after: resetSeconds })),
    },
  );
}
