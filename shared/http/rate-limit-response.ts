import { AppError } from '../platform/errors.js';
import type { WindowState } from '../platform/limits/limiter.js';

const WINDOW_SECONDS = { minute: 60, hour: 3600 } as const;

/** The windows that a request exceeds, and when the last of them ends. */
export interface ExceededLimit {
  windows: WindowState[];
  retryAfterSeconds: number;
}

/** Returns undefined if no window is exceeded. */
export function findExceededLimit(windows: WindowState[]): ExceededLimit | undefined {
  const exceeded = windows.filter(({ remaining }) => remaining < 0);
  if (exceeded.length === 0) return undefined;
  return {
    windows: exceeded,
    retryAfterSeconds: Math.max(...exceeded.map(({ resetSeconds }) => resetSeconds)),
  };
}

/**
 * Builds the 429 error.
 * @param text says which limit was exceeded
 */
export function rateLimitedError({ windows, retryAfterSeconds }: ExceededLimit, text: string): AppError {
  return new AppError('rate_limited', `${text} Try again in ${retryAfterSeconds} s.`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    details: windows.map(({ window, limit, resetSeconds }) => ({ window, limit, retry_after: resetSeconds })),
  });
}

/**
 * Builds X-RateLimit-Remaining (docs/specification.md §8), and RateLimit-Policy and RateLimit
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export function buildRateLimitHeaders(windows: WindowState[]): Record<string, string> {
  const left = (state: WindowState) => Math.max(0, state.remaining);
  return {
    'X-RateLimit-Remaining': String(Math.min(...windows.map(left))),
    'RateLimit-Policy': windows
      .map((w) => `"${w.window}";q=${w.limit};w=${WINDOW_SECONDS[w.window]}`)
      .join(', '),
    RateLimit: windows.map((w) => `"${w.window}";r=${left(w)};t=${w.resetSeconds}`).join(', '),
  };
}
