import { AppError } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../runtime/context.js';

/**
 * Refuses a request in the sandbox, because only the live account stores people. A signed-in person
 * selects the sandbox with X-Environment.
 */
export const requireLiveAccount: ApiMiddleware = async (ctx, next) => {
  if (ctx.state.key.environment !== 'live') {
    throw new AppError(
      'forbidden',
      'People belong to the live account. Use a live key, or sign in without X-Environment: sandbox.',
    );
  }
  await next();
};
