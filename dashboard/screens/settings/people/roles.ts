import type { Schemas } from '../../../api/records';
import { ROLE } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { humanize } from '../../../parts/record/status-badge';

export type Role = Schemas['Role'];

interface RoleEntry {
  role: Role;
  name: string;
  /** Describes what people with the role may do. */
  allows: string;
}

/** The roles, from the most rights to the fewest. The permissions of a role are fixed. */
export const ROLES: readonly RoleEntry[] = wordsOf(ROLE).map((role) => ({
  role,
  name: humanize(role),
  allows: ROLE[role],
}));

export function nameRole(role: Role): string {
  return findRole(role)?.name ?? role;
}

export function findRole(role: Role): RoleEntry | undefined {
  return ROLES.find((entry) => entry.role === role);
}

/**
 * True if a person with the role `own` may change and deactivate a person with the role `other`.
 */
export function canManage(own: Role | undefined, other: Role): boolean {
  return other !== 'owner' || own === 'owner';
}
