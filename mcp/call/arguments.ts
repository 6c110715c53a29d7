import { validate } from '../../shared/contracts/schemas/validate.js';
import { AppError, type ErrorDetail } from '../../shared/platform/errors.js';
import type { Caller } from '../context/caller.js';
import type { Tool, ToolCall } from '../tools/tool.js';

import { readWriteOptions, type WriteOptions } from './write-options.js';

// These limits keep the response and its audit entry small if many arguments are invalid.
const MAX_UNKNOWN_ARGUMENTS = 20;
const MAX_VALIDATION_ERRORS = 100;
const MAX_NAME_CHARS = 100;

type ToolInput = Pick<Tool, 'input' | 'name'>;

/**
 * Validates a tool call's arguments. Also refuses unknown arguments, which REST ignores. A model
 * corrects a mistake if the error names it.
 * @throws {AppError} 400 with every validation error
 */
export function checkArguments<Input>(tool: ToolInput, args: Record<string, unknown>): Input {
  try {
    return validate<Input>(tool.input, args, 'refused');
  } catch (error) {
    if (error instanceof AppError && error.details)
      throw toValidationError(limitUnknownArguments(error.details).map(explainUnknownArguments(tool)));
    throw error;
  }
}

/**
 * Validates a write tool's input, and the options that all write tools share.
 * @throws {AppError} 400 with the validation errors of the input and of the options
 */
export function checkWriteArguments(
  tool: ToolInput,
  caller: Caller,
  { args, meta }: ToolCall,
): { input: object; options: WriteOptions } {
  const { idempotency_key: _key, dry_run: _dryRun, ...own } = args;
  const options = catchValidationError(() => readWriteOptions(caller, meta, args));
  const input = catchValidationError(() => checkArguments<object>(tool, own));
  if (options instanceof AppError && input instanceof AppError)
    throw toValidationError([...(options.details ?? []), ...(input.details ?? [])]);
  if (options instanceof AppError) throw options;
  if (input instanceof AppError) throw input;
  return { input, options };
}

function catchValidationError<T>(check: () => T): T | AppError {
  try {
    return check();
  } catch (error) {
    if (error instanceof AppError && error.details) return error;
    throw error;
  }
}

function limitUnknownArguments(details: ErrorDetail[]): ErrorDetail[] {
  const unknown = new Set(details.filter(({ code }) => code === 'unknown').slice(0, MAX_UNKNOWN_ARGUMENTS));
  return details.filter((detail) => detail.code !== 'unknown' || unknown.has(detail));
}

/**
 * Returns a function that adds the list of the tool's arguments to the message about an unknown
 * argument.
 */
function explainUnknownArguments({ name, input }: ToolInput): (detail: ErrorDetail) => ErrorDetail {
  const known = Object.keys((input.describe() as { keys?: object }).keys ?? {});
  const takes = known.length > 0 ? `it takes ${known.join(', ')}` : 'it takes no arguments';
  return (detail) => {
    if (detail.code !== 'unknown') return detail;
    const field = String(detail.field).slice(0, MAX_NAME_CHARS);
    const isNested = /[.[]/.test(field);
    return { ...detail, field, message: `${name} takes no ${field}${isNested ? '' : `; ${takes}`}` };
  };
}

function toValidationError(details: ErrorDetail[]): AppError {
  const more = details.length > 1 ? `, and ${details.length - 1} more; see details` : '';
  return new AppError('validation_error', `${details[0]?.message}${more}.`, {
    details: details.slice(0, MAX_VALIDATION_ERRORS),
  });
}
