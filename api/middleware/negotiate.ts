import { AppError } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../context.js';

/** What a client may call the answers of this API, from the most to the least specific. */
const JSON_RANGES = ['application/json', 'application/problem+json', 'application/*', '*/*'];

/** Turns away only a client that excludes JSON (decisions 5). */
export const negotiate: ApiMiddleware = async (ctx, next) => {
  const accept = ctx.get('Accept');
  if (accept && accept !== '*/*' && excludesJson(accept)) {
    throw new AppError('not_acceptable', 'This API answers in JSON. Accept application/json.');
  }
  await next();
};

/** The most specific range that covers JSON decides. Parameters other than q choose among forms of JSON, and there is one. */
function excludesJson(accept: string): boolean {
  const qualities = new Map<string, number>();
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    qualities.set(type, Math.max(quality, qualities.get(type) ?? 0));
  }
  const deciding = JSON_RANGES.find((range) => qualities.has(range));
  return deciding === undefined || qualities.get(deciding) === 0;
}
