import { hasAccess } from '../contracts/access.js';
import type { CommandDefinition, CommandResult } from '../contracts/command.js';
import type { Principal } from '../contracts/principal.js';
import { AppError, type ErrorBody } from '../platform/errors.js';
import { getReadAccess } from '../registry/tables.js';

type Definition = Pick<CommandDefinition, 'entityType' | 'creates'>;
type Success = Extract<CommandResult, { ok: true }>;

/**
 * True if the response may contain the record: the caller may read the record, or this command has
 * created or changed the record.
 */
export function canShowRecord(key: Principal, { entityType, creates }: Definition, result: Success): boolean {
  return hasAccess(key, getReadAccess(entityType)) || (result.isOwnChange ?? (creates && !result.replayed));
}

/**
 * Refuses to replay another key's response to a caller that may not read the record.
 * @throws {AppError} 403, always
 */
export function refuseForeignReplay({ kind }: Principal, { entityType }: Definition): never {
  const { permission, agentScope } = getReadAccess(entityType);
  const required = kind === 'agent' ? agentScope : permission;
  throw new AppError(
    'insufficient_scope',
    'Another key used this Idempotency-Key first, and this key may not read what it made. Use a new key for a new request.',
    { details: [{ required }] },
  );
}

/**
 * Removes the details of a `precondition_failed` error if the caller may not read the record,
 * because the details quote the record's contents. A motor club never gets them, because they also
 * name the people, agents and keys of the account that changed the record.
 */
export function hideRecordContents(key: Principal, { entityType }: Definition, error: ErrorBody): ErrorBody {
  const maySeeDetails = !key.clubId && hasAccess(key, getReadAccess(entityType));
  if (error.code !== 'precondition_failed' || maySeeDetails) return error;
  const { details: _contents, ...rest } = error;
  return rest;
}
