import { validate } from '../shared/contracts/validate.js';
import { AppError, type ErrorDetail } from '../shared/platform/errors.js';
import type { Caller } from './caller.js';
import type { Tool, ToolCall } from './tools/tool.js';
import { type WriteOptions, writeOptions } from './write-options.js';

/** Unknown arguments and faults that are told of at once, and characters of a name: the answer, and its audit entry, must not grow with the nonsense of a call. */
const MAX_TOLD = 20;
const MAX_FAULTS = 100;
const MAX_NAME = 100;

type Described = Pick<Tool, 'input' | 'name'>;

/** Unlike REST, what nobody knows is refused: a model that is told of its mistake mends it. @throws {AppError} 400 with every fault */
export function checkArguments<Input>(tool: Described, args: Record<string, unknown>): Input {
  try {
    return validate<Input>(tool.input, args, 'refused');
  } catch (error) {
    if (error instanceof AppError && error.details)
      throw withFaults(fewUnknown(error.details).map(named(tool)));
    throw error;
  }
}

/** Input and options of a write. @throws {AppError} 400 with the faults of both */
export function checkWrite(
  tool: Described,
  caller: Caller,
  { args, meta }: ToolCall,
): { input: object; options: WriteOptions } {
  const { idempotency_key: _key, dry_run: _dryRun, ...own } = args;
  const options = faultOr(() => writeOptions(caller, meta, args));
  const input = faultOr(() => checkArguments<object>(tool, own));
  if (options instanceof AppError && input instanceof AppError)
    throw withFaults([...(options.details ?? []), ...(input.details ?? [])]);
  if (options instanceof AppError) throw options;
  if (input instanceof AppError) throw input;
  return { input, options };
}

function faultOr<T>(check: () => T): T | AppError {
  try {
    return check();
  } catch (error) {
    if (error instanceof AppError && error.details) return error;
    throw error;
  }
}

function fewUnknown(details: ErrorDetail[]): ErrorDetail[] {
  const unknown = new Set(details.filter(({ code }) => code === 'unknown').slice(0, MAX_TOLD));
  return details.filter((detail) => detail.code !== 'unknown' || unknown.has(detail));
}

/** An argument that is not there is told with those that are. */
function named({ name, input }: Described): (detail: ErrorDetail) => ErrorDetail {
  const known = Object.keys((input.describe() as { keys?: object }).keys ?? {});
  const takes = known.length > 0 ? `it takes ${known.join(', ')}` : 'it takes no arguments';
  return (detail) => {
    if (detail.code !== 'unknown') return detail;
    const field = String(detail.field).slice(0, MAX_NAME);
    const isNested = /[.[]/.test(field);
    return { ...detail, field, message: `${name} takes no ${field}${isNested ? '' : `; ${takes}`}` };
  };
}

function withFaults(details: ErrorDetail[]): AppError {
  const more = details.length > 1 ? `, and ${details.length - 1} more; see details` : '';
  return new AppError('validation_error', `${details[0]?.message}${more}.`, {
    details: details.slice(0, MAX_FAULTS),
  });
}
