import { AppError } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import type { Caller } from '../context/caller.js';
import type { ToolCall } from '../tools/tool.js';

export interface WriteOptions {
  /** The key in lower case. */
  idempotencyKey: string | undefined;
  dryRun: boolean;
}

/**
 * Returns the idempotency key of a refused call, for its audit entry. Returns undefined if the key
 * is absent or invalid.
 */
export function findIdempotencyKey(
  caller: Caller,
  { meta, args }: Pick<ToolCall, 'meta' | 'args'>,
): string | undefined {
  try {
    return readWriteOptions(caller, meta, args).idempotencyKey;
  } catch {
    return undefined;
  }
}

interface OptionValue {
  /** The name of the header, `_meta` member or argument that contains the value. */
  source: string;
  value: unknown;
}

/**
 * Reads the idempotency key and the dry-run flag. The client may send each of them in a header, in
 * `_meta` or in an argument. Most clients cannot set a header for a single call. Several values for
 * the same option must be equal.
 * @throws {AppError} 400 if the values differ or are invalid
 */
export function readWriteOptions(
  { headers }: Caller,
  meta: Record<string, unknown> = {},
  args: Record<string, unknown> = {},
): WriteOptions {
  const key = findSingleValue([
    { source: 'Idempotency-Key', value: headers.idempotencyKey },
    { source: '_meta.idempotency_key', value: meta.idempotency_key },
    { source: 'idempotency_key', value: args.idempotency_key },
  ]);
  if (key && (typeof key.value !== 'string' || !isUuid(key.value)))
    throw createOptionError('invalid_idempotency_key', key.source, 'must be a UUID');
  const dryRun = findSingleValue([
    { source: 'X-Service-Dry-Run', value: headers.dryRun === 'true' ? true : headers.dryRun },
    { source: '_meta.dry_run', value: meta.dry_run },
    { source: 'dry_run', value: args.dry_run },
  ]);
  if (dryRun && typeof dryRun.value !== 'boolean')
    throw createOptionError('validation_error', dryRun.source, 'must be true or be left out');
  return { idempotencyKey: key && String(key.value).toLowerCase(), dryRun: dryRun?.value === true };
}

function findSingleValue(values: OptionValue[]): OptionValue | undefined {
  const [first, ...others] = values.filter(({ value }) => value !== undefined);
  const conflict = others.find(({ value }) => toComparable(value) !== toComparable(first?.value));
  if (conflict)
    throw createOptionError(
      'validation_error',
      conflict.source,
      `differs from ${first?.source}; give it once`,
    );
  return first;
}

/**
 * Returns a text that is equal for equal values. Uses JSON.stringify, because String() would call a
 * `toString` member that the client may have sent.
 */
function toComparable(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : JSON.stringify(value);
}

function createOptionError(
  code: 'validation_error' | 'invalid_idempotency_key',
  field: string,
  problem: string,
): AppError {
  const message = `${field} ${problem}`;
  return new AppError(code, `${message}.`, { details: [{ field, code: 'invalid', message }] });
}
