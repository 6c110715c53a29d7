import type { ApiMiddleware } from '../runtime/context.js';

/**
 * Makes a request run in the live tenant, even if the person has selected the sandbox. Only the
 * live tenant stores sessions and factors.
 */
export const switchToLiveTenant: ApiMiddleware = async (ctx, next) => {
  const { key } = ctx.state;
  if (key.session) ctx.state.key = { ...key, tenantId: key.session.tenantId, environment: 'live' };
  await next();
};
