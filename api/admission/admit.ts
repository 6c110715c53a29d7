import { writeError } from '../middleware/errors.js';
import type { ApiMiddleware } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { createOverloadError } from './overload-error.js';

/**
 * Counts a request as open until its handler has finished. Responds with 503 if too many requests
 * are open. A metric counts these refusals. They have no log entry, because they are no failures.
 */
export function admit({ admissions, metrics }: Pick<ApiRuntime, 'admissions' | 'metrics'>): ApiMiddleware {
  return async (ctx, next) => {
    const leave = admissions.forMethod(ctx.method).enter(ctx.state.key.tenantId);
    if (!leave) {
      metrics.refusedRequests.inc();
      writeError(ctx, createOverloadError());
      return;
    }
    let hasSucceeded = false;
    try {
      await next();
      hasSucceeded = ctx.status < 400;
    } finally {
      leave({ hasSucceeded });
    }
  };
}
