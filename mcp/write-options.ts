import Joi from 'joi';
import { AppError } from '../shared/platform/errors.js';
import { isUuid } from '../shared/platform/ids.js';
import type { Caller } from './caller.js';
import type { ToolCall } from './tools/tool.js';

/** What every write tool takes beside its own inputs (decisions 5, Idempotency). */
export const WRITE_ARGUMENTS = {
  idempotency_key: Joi.string()
    .guid()
    .description('A UUID of your own for this action; send the SAME one when you retry it'),
  dry_run: Joi.boolean().strict().description('true: check and preview, store nothing'),
};

export interface WriteOptions {
  /** UUID in lower case. */
  key: string | undefined;
  dryRun: boolean;
}

/** The key of a call that is refused, for its audit entry; undefined when it brought none, or no good one. */
export function claimedKey(
  caller: Caller,
  { meta, args }: Pick<ToolCall, 'meta' | 'args'>,
): string | undefined {
  try {
    return writeOptions(caller, meta, args).key;
  } catch {
    return undefined;
  }
}

interface Given {
  /** Where it stands, as the caller knows it. */
  at: string;
  value: unknown;
}

/**
 * Idempotency key and dry run from header, `_meta` or argument: most clients cannot set a header for one call. Given twice they must agree.
 * @throws {AppError} 400
 */
export function writeOptions(
  { headers }: Caller,
  meta: Record<string, unknown> = {},
  args: Record<string, unknown> = {},
): WriteOptions {
  const key = agreed([
    { at: 'Idempotency-Key', value: headers.idempotencyKey },
    { at: '_meta.idempotency_key', value: meta.idempotency_key },
    { at: 'idempotency_key', value: args.idempotency_key },
  ]);
  if (key && (typeof key.value !== 'string' || !isUuid(key.value)))
    throw refusal('invalid_idempotency_key', key.at, 'must be a UUID');
  const dryRun = agreed([
    { at: 'X-Service-Dry-Run', value: headers.dryRun === 'true' ? true : headers.dryRun },
    { at: '_meta.dry_run', value: meta.dry_run },
    { at: 'dry_run', value: args.dry_run },
  ]);
  if (dryRun && typeof dryRun.value !== 'boolean')
    throw refusal('validation_error', dryRun.at, 'must be true or be left out');
  return { key: key && String(key.value).toLowerCase(), dryRun: dryRun?.value === true };
}

function agreed(given: Given[]): Given | undefined {
  const [first, ...others] = given.filter(({ value }) => value !== undefined);
  const other = others.find(({ value }) => plain(value) !== plain(first?.value));
  if (other) throw refusal('validation_error', other.at, `differs from ${first?.at}; give it once`);
  return first;
}

/** To compare by. An object could bring a toString of its own. */
function plain(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value);
}

function refusal(
  code: 'validation_error' | 'invalid_idempotency_key',
  field: string,
  fault: string,
): AppError {
  const message = `${field} ${fault}`;
  return new AppError(code, `${message}.`, { details: [{ field, code: 'invalid', message }] });
}
