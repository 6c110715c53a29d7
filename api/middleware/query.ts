import type Joi from 'joi';
import { validateAndNote } from '../../shared/contracts/validate.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../context.js';
import { noteIgnored } from './warnings.js';

type Context = Parameters<ApiMiddleware>[0];

const readers = new WeakSet<object>();

/** Marks a handler that takes query parameters. */
export function readsQuery<Handler extends object>(handler: Handler): Handler {
  readers.add(handler);
  return handler;
}

/** Where no handler takes query parameters, every one of them is unknown. */
export function noteUnreadQuery(ctx: Context, handlers: readonly object[]): void {
  if (!handlers.some((handler) => readers.has(handler))) noteIgnored(ctx, Object.keys(ctx.query));
}

/**
 * Checks the query parameters. Unknown ones are ignored and named in X-Service-Warnings (decisions
 * 5).
 */
export function readQuery<Query>(ctx: Context, schema: Joi.Schema<Query>): Query {
  return validateAndNote<Query>(schema, singleValues(ctx), (names) => noteIgnored(ctx, names));
}

/** A parameter that is given twice has no single meaning. */
function singleValues(ctx: Context): Record<string, unknown> {
  const repeated = Object.entries(ctx.query).filter(([, value]) => Array.isArray(value));
  if (repeated.length === 0) return ctx.query;
  const details = repeated.map(([field]) => ({
    field,
    code: 'repeated',
    message: `${field} is given twice`,
  }));
  throw new AppError('validation_error', `${details[0]?.message}.`, { details });
}
