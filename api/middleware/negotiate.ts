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

/** The most specific range that covers the answer decides. Parameters other than q choose among forms of it, and there is one. */
function excludes(accept: string, ranges: string[]): boolean {
  const qualities = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    qualities.set(type, Math.max(quality, qualities.get(type) ?? 0));
  }
  const deciding = ranges.find((range) => qualities.has(range));
  return deciding === undefined || qualities.get(deciding) === 0;
}
