import type { Schemas } from '../../../api/records';

export type Role = Schemas['Role'];

interface RoleEntry {
  role: Role;
  name: string;
  /** What people with the role may do. */
  allows: string;
}

/** The roles, from the most rights to the fewest. Each has a fixed set of permissions. */
export const ROLES: readonly RoleEntry[] = [
  { role: 'owner', name: 'Owner', allows: 'Everything. Only an owner makes, changes or deactivates owners.' },
  { role: 'admin', name: 'Admin', allows: 'Everything: read, write, approve and admin.' },
  { role: 'dispatcher', name: 'Dispatcher', allows: 'read, write and approve.' },
  { role: 'bookkeeper', name: 'Bookkeeper', allows: 'read, write and approve.' },
  { role: 'driver', name: 'Driver', allows: 'read and write.' },
  { role: 'viewer', name: 'Viewer', allows: 'read.' },
];

export function nameRole(role: Role): string {
  return findRole(role)?.name ?? role;
}

export function findRole(role: Role): RoleEntry | undefined {
  return ROLES.find((entry) => entry.role === role);
}

/** True if a person of the role may change and deactivate a person of another role. */
export function canManage(own: Role | undefined, other: Role): boolean {
  return other !== 'owner' || own === 'owner';
}
