import { AppError } from '../platform/errors.js';
import type { WindowState } from '../platform/limits/limiter.js';

const WINDOW_SECONDS = { minute: 60, hour: 3600 } as const;

/**
 * Returns a 429 error, or undefined if no window is exceeded.
 * @param describe returns the sentence that says which limit is exceeded
 */
export function createRateLimitError(
  windows: WindowState[],
  describe: (exceeded: WindowState[]) => string,
): AppError | undefined {
  const exceeded = windows.filter(({ remaining }) => remaining < 0);
  if (exceeded.length === 0) return undefined;
  const retryAfter = Math.max(...exceeded.map(({ resetSeconds }) => resetSeconds));
  return new AppError('rate_limited', `${describe(exceeded)} Try again in ${retryAfter} s.`, {
    headers: { 'Retry-After': String(retryAfter) },
    details: exceeded.map(({ window, limit, resetSeconds }) => ({
      window,
      limit,
      retry_after: resetSeconds,
    })),
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
