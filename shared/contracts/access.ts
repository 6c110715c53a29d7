import { AppError } from '../platform/errors.js';
import type { Principal } from './principal.js';
import type { AgentScope, Permission } from './vocabulary.js';

export interface Access {
  permission: Permission;
  /**
   * Another permission that gives access too. The route then shows its holders less: a club sees
   * only its own offers.
   */
  orPermission?: Permission;
  /** The scope that an agent key needs. Null if agent keys have no access. */
  agentScope: AgentScope | null;
  /**
   * True if only a signed-in person has access. A key then has no access, whatever its permissions.
   */
  isPersonOnly?: boolean;
}

/**
 * Checks the rights of a key or a signed-in person (docs/decisions.md §6).
 * @throws {AppError} 403 with the code read_only_key, forbidden or insufficient_scope. The details
 * of insufficient_scope name the missing permission or scope
 */
export function assertAccess(key: Principal, access: Access): void {
  const { permission, orPermission, agentScope, isPersonOnly } = access;
  if (key.readOnly && permission !== 'read') {
    throw new AppError('read_only_key', 'This key is read-only. Use a key that may write.');
  }
  if (key.kind === 'agent') {
    assertScope(key, agentScope);
  } else if (!key.permissions.some((one) => one === permission || one === orPermission)) {
    throw new AppError('insufficient_scope', `This key lacks the permission ${permission}.`, {
      details: [{ required: permission }],
    });
  }
  if (isPersonOnly && key.kind !== 'user') {
    throw new AppError('forbidden', 'Keys may not do this. A signed-in person must do it.');
  }
}

export function hasAccess(key: Principal, access: Access): boolean {
  try {
    assertAccess(key, access);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

function assertScope(key: Principal, scope: AgentScope | null): void {
  if (scope === null)
    throw new AppError('forbidden', 'Agent keys may not do this. Ask a person, or use an API key.');
  if (!key.scopes.includes(scope)) {
    throw new AppError('insufficient_scope', `This agent key lacks the scope ${scope}.`, {
      details: [{ required: scope }],
    });
  }
}
