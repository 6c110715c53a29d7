import { excludes } from '../../shared/contracts/accept.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../context.js';

/** What a client may call the answers of this API, from the most to the least specific. */
const JSON_RANGES = ['application/json', 'application/problem+json', 'application/*', '*/*'];

/** The answers that are no JSON, by their paths without prefix; browsers name a stream's type alone. */
const OTHERS = [
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
    path: /^\/settings\/logo$/,
    ranges: ['image/png', 'image/jpeg', 'image/*', ...JSON_RANGES],
    message: 'This is a picture. Accept image/png and image/jpeg.',
  },
];
const IN_JSON = { ranges: JSON_RANGES, message: 'This API answers in JSON. Accept application/json.' };

/** Turns away only a client that excludes JSON (decisions 5), or the type of an answer that is something else. */
export const negotiate: ApiMiddleware = async (ctx, next) => {
  const accept = ctx.get('Accept');
  if (accept && accept !== '*/*') {
    const path = ctx.path.slice(ctx.state.prefix.length);
    const answer = OTHERS.find((other) => other.path.test(path)) ?? IN_JSON;
    if (excludes(accept, answer.ranges)) throw new AppError('not_acceptable', answer.message);
  }
  await next();
};
