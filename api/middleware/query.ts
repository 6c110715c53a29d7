import type Joi from 'joi';
import { validateAndReportUnknown } from '../../shared/contracts/schemas/validate.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { reportUnknownNames } from './warnings.js';

type Context = Parameters<ApiMiddleware>[0];

/**
 * Reads and validates the query parameters. Ignores unknown parameters, and lists them in
 * X-Service-Warnings (docs/decisions.md §5).
 */
export function readQuery<Query>(ctx: Context, schema: Joi.Schema<Query>): Query {
  return validateAndReportUnknown<Query>(schema, readSingleValues(ctx), (names) =>
    reportUnknownNames(ctx, names),
  );
}

/** @throws {AppError} 400 for a repeated parameter, because the client's intent is unclear */
function readSingleValues(ctx: Context): Record<string, unknown> {
  const repeated = Object.entries(ctx.query).filter(([, value]) => Array.isArray(value));
  if (repeated.length === 0) return ctx.query;
  const details = repeated.map(([field]) => ({
    field,
    code: 'repeated',
    message: `${field} is given twice`,
  }));
  throw new AppError('validation_error', `${details[0]?.message}.`, { details });
}
