import { type Access, assertAccess } from '../../shared/contracts/access.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { declareFacts } from '../runtime/route-facts.js';

export function requireAccess(access: Access): ApiMiddleware {
  return declareFacts({ access }, async (ctx, next) => {
    assertAccess(ctx.state.key, access);
    await next();
  });
}
