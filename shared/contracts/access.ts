import { AppError } from '../platform/errors.js';
import type { Principal } from './principal.js';
import type { AgentScope, Permission } from './vocabulary.js';

/** What it takes to do something. */
export interface Access {
  permission: Permission;
  /** Scope that lets an agent key in; null: no agent may. */
  agentScope: AgentScope | null;
  /** Only a signed-in person may, whatever a key holds (`x-security: session` in the route's block). */
  personOnly?: boolean;
}

/** @throws {AppError} 403 read_only_key, insufficient_scope or forbidden; a missing right is named (decisions 6). */
export function assertAccess(key: Principal, { permission, agentScope, personOnly }: Access): void {
  if (key.readOnly && permission !== 'read') {
    throw new AppError('read_only_key', 'This key is read-only. Use a key that may write.');
  }
  if (key.kind === 'agent') {
    assertScope(key, agentScope);
  } else if (!key.permissions.includes(permission)) {
    throw new AppError('insufficient_scope', `This key lacks the permission ${permission}.`, {
      details: [{ required: permission }],
    });
  }
  if (personOnly && key.kind !== 'user') {
    throw new AppError('forbidden', 'Keys may not do this. It takes a person who is signed in.');
  }
}

/** Whether {@link assertAccess} would let this key pass. */
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
