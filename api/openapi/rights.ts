import type { Access } from '../../shared/contracts/access.js';
import type { RouteFacts } from '../runtime/route-facts.js';

export function describeRights({ access, isSensitive }: RouteFacts): string {
  const asked =
    ' A signed-in person who has a second factor must have proved it within ten minutes (factor_required).';
  return `${describeAccess(access)}${isSensitive ? asked : ''}`;
}

function describeAccess(access: Access | undefined): string {
  if (!access) return 'Every key may call this.';
  const { permission, orPermission, agentScope, isPersonOnly } = access;
  if (isPersonOnly) return 'Only a signed-in person may do this; keys may not.';
  const needed = `Needs the permission ${permission}${orPermission ? ` or ${orPermission}` : ''}`;
  return agentScope === null
    ? `${needed}. Not for agent keys.`
    : `${needed}, or an agent key with the scope ${agentScope}.`;
}
