import { AppError } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../context.js';

/** What a client may call the answers of this API, from the most to the least specific. */
const JSON_RANGES = ['application/json', 'application/problem+json', 'application/*', '*/*'];

/** The same of the one answer that is no JSON; browsers name its type alone. */
const STREAM_RANGES = ['text/event-stream', 'text/*', '*/*'];

/** Turns away only a client that excludes JSON (decisions 5), or server-sent events where these are the answer. */
export const negotiate: ApiMiddleware = async (ctx, next) => {
  const accept = ctx.get('Accept');
  const isStream = ctx.path === `${ctx.state.prefix}/stream`;
  if (accept && accept !== '*/*' && excludes(accept, isStream ? STREAM_RANGES : JSON_RANGES)) {
    const message = isStream
      ? 'This is a stream of server-sent events. Accept text/event-stream.'
      : 'This API answers in JSON. Accept application/json.';
    throw new AppError('not_acceptable', message);
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
