import { type Access, assertAccess } from '../../shared/contracts/access.js';
import { AppError } from '../../shared/platform/errors.js';
import { readFactorState } from '../../shared/resources/factors/queries.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

export function requireAccess(access: Access): ApiMiddleware {
  return declareFacts({ access }, async (ctx, next) => {
    assertAccess(ctx.state.key, access);
    await next();
  });
}

/**
 * Marks a route that people may use before they set up the second factor that their account
 * requires.
 */
export const worksWithoutFactor: ApiMiddleware = declareFacts({ worksWithoutFactor: true }, (_ctx, next) =>
  next(),
);

/**
 * Refuses people who have no second factor although their account requires one.
 * @throws {AppError} 403 factor_setup_required
 */
export function requireFactorSetup({ db }: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    const { key } = ctx.state;
    // Read the current state, because the cached principal may be older than the person's first
    // factor.
    if (key.session?.isFactorMissing && !(await readFactorState(db, key)).has_factor) {
      throw new AppError(
        'factor_setup_required',
        'This account requires a second factor. Set one up first, by POST /me/factors.',
      );
    }
    await next();
  };
}
