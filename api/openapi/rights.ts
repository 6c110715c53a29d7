import type { Access } from '../../shared/contracts/access.js';

export function describeRights(access: Access | undefined): string {
  if (!access) return 'Every key may call this.';
  const { permission, agentScope, isPersonOnly } = access;
  if (isPersonOnly) return 'Only a signed-in person may do this; keys may not.';
  const needed = `Needs the permission ${permission}`;
  return agentScope === null
    ? `${needed}. Not for agent keys.`
    : `${needed}, or an agent key with the scope ${agentScope}.`;
}
