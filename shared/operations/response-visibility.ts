import { hasAccess } from '../contracts/access.js';
import type { CommandDefinition, CommandResult } from '../contracts/command.js';
import type { Principal } from '../contracts/principal.js';
import { AppError, type ErrorBody } from '../platform/errors.js';
import { getReadAccess } from '../registry/tables.js';

type Definition = Pick<CommandDefinition, 'entityType' | 'creates'>;
type Success = Extract<CommandResult, { ok: true }>;

/** A caller may see the record if it may read it, or has just created or changed it. */
export function canShowRecord(key: Principal, { entityType, creates }: Definition, result: Success): boolean {
  return hasAccess(key, getReadAccess(entityType)) || (result.isOwnChange ?? (creates && !result.replayed));
}

/** @throws {AppError} 403, because another key created the record of the stored response */
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
 * A conflict's details are the record's content, so only callers who may read the record get them.
 */
export function hideRecordContents(key: Principal, { entityType }: Definition, error: ErrorBody): ErrorBody {
  if (error.code !== 'precondition_failed' || hasAccess(key, getReadAccess(entityType))) return error;
  const { details: _contents, ...rest } = error;
  return rest;
}
