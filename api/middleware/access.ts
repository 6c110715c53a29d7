import type { Principal } from '../../shared/contracts/principal.js';
import type { AgentScope, Permission } from '../../shared/contracts/vocabulary.js';
import { AppError } from '../../shared/platform/errors.js';
import type { ApiMiddleware } from '../context.js';

export interface Access {
  permission: Permission;
  /** Scope that lets an agent key in; null: no agent may. */
  agentScope: AgentScope | null;
  /** Only a signed-in person may, whatever a key holds (`x-security: session` in the route's block). */
  personOnly?: boolean;
}

/** Lets a request pass whose key may do this (decisions 6). A missing right is 403 and names what is required. */
export function requireAccess(access: Access): ApiMiddleware {
  return async (ctx, next) => {
    assertAccess(ctx.state.key, access);
    await next();
  };
}

/** @throws {AppError} 403 read_only_key, insufficient_scope or forbidden. */
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

function assertScope(key: Principal, scope: AgentScope | null): void {
  if (scope === null)
    throw new AppError('forbidden', 'Agent keys may not do this. Ask a person, or use an API key.');
  if (!key.scopes.includes(scope)) {
    throw new AppError('insufficient_scope', `This agent key lacks the scope ${scope}.`, {
      details: [{ required: scope }],
    });
  }
}
