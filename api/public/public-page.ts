import type { TierLimits } from '../../shared/config/config.js';
import { createRateLimitError } from '../../shared/http/rate-limit-response.js';
import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import type { ApiContext } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { renderExplanationPage } from './page-html.js';

/** The limit for a client's requests, counted under `key`. */
export interface PublicLimit {
  key: string;
  limits: TierLimits;
}

/**
 * Counts a request to a page behind a link. If a limit is exceeded, responds with a page that says
 * so, and returns false.
 */
export async function consumePublicLimits(
  api: Pick<ApiRuntime, 'limiter'>,
  ctx: ApiContext,
  counted: PublicLimit[],
): Promise<boolean> {
  const windows = [];
  for (const { key, limits } of counted) windows.push(...(await api.limiter.consume(key, limits)).windows);
  const refusal = createRateLimitError(windows, () => 'Too many requests.');
  if (!refusal) return true;
  ctx.set(refusal.headers);
  respondWithExplanation(ctx, 429, ['Too many requests', 'Wait a minute, then open the link again.']);
  return false;
}

/**
 * Reads the content of a page. If PostgreSQL is unreachable, returns `unavailable` and responds
 * with an HTML page, because a person reads the response.
 */
export async function readForPage<T>(
  api: Pick<ApiRuntime, 'logger'>,
  ctx: ApiContext,
  read: () => Promise<T>,
): Promise<T | 'unavailable'> {
  try {
    return await read();
  } catch (error) {
    if (!isTransientDatabaseError(error)) throw error;
    api.logger.warn(
      { err: error, requestId: ctx.state.requestId },
      'the record of a public page could not be read',
    );
    ctx.set('Retry-After', '5');
    respondWithExplanation(ctx, 503, ['Not available right now', 'Open the link again in a moment.']);
    return 'unavailable';
  }
}

/** Responds with a page that has only a title and a text. */
export function respondWithExplanation(
  ctx: ApiContext,
  status: number,
  [title, text]: [string, string],
): void {
  ctx.status = status;
  ctx.type = 'text/html';
  ctx.body = renderExplanationPage(title, text);
}
