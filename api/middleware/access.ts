import { type Access, assertAccess } from '../../shared/contracts/access.js';
import type { ApiMiddleware } from '../context.js';

/** Lets a request pass whose key may do this. */
export function requireAccess(access: Access): ApiMiddleware {
  return async (ctx, next) => {
    assertAccess(ctx.state.key, access);
    await next();
  };
}
