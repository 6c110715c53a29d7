import { excludesMediaType } from '../../shared/http/accept-header.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';

/** Media ranges that accept a JSON response, from the most to the least specific. */
const JSON_RANGES = ['application/json', 'application/problem+json', 'application/*', '*/*'];

/** The routes whose response is not JSON, each with its path without the version prefix. */
const NON_JSON_RESPONSES = [
  {
    path: /^\/stream$/,
    ranges: ['text/event-stream', 'text/*', '*/*'],
    message: 'This is a stream of server-sent events. Accept text/event-stream.',
  },
  {
    path: /^\/invoices\/[^/]+\/pdf$/,
    ranges: ['application/pdf', 'application/*', '*/*'],
    message: 'This is a PDF. Accept application/pdf.',
  },
  {
    path: /^\/photos\/[^/]+\/picture$/,
    ranges: ['image/jpeg', 'image/*', ...JSON_RANGES],
    message: 'This is a picture. Accept image/jpeg.',
  },
  {
    path: /^\/settings\/logo$/,
    ranges: ['image/png', 'image/jpeg', 'image/*', ...JSON_RANGES],
    message: 'This is a picture. Accept image/png and image/jpeg.',
  },
];
const JSON_RESPONSE = { ranges: JSON_RANGES, message: 'This API returns JSON. Accept application/json.' };

export const negotiate: ApiMiddleware = (ctx, next) => {
  assertAcceptsResponse(ctx);
  return next();
};

/**
 * Refuses a request whose Accept header excludes the media type of the response (docs/decisions.md
 * §5). The response is JSON, except for the routes in `NON_JSON_RESPONSES`.
 * @throws {AppError} 406
 */
export function assertAcceptsResponse(ctx: ApiContext): void {
  const accept = ctx.get('Accept');
  if (!accept || accept === '*/*') return;
  const path = ctx.path.slice(ctx.state.prefix.length);
  const response = NON_JSON_RESPONSES.find((candidate) => candidate.path.test(path)) ?? JSON_RESPONSE;
  if (excludesMediaType(accept, response.ranges)) throw new AppError('not_acceptable', response.message);
}
