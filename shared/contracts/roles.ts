import { ACCOUNT_PERMISSIONS, type Permission } from './vocabulary.js';

/** The roles of people (docs/decisions.md §12). */
export const ROLES = ['owner', 'admin', 'dispatcher', 'bookkeeper', 'driver', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The permissions of a signed-in person, by role. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ACCOUNT_PERMISSIONS,
  admin: ACCOUNT_PERMISSIONS,
  dispatcher: ['read', 'write', 'approve'],
  bookkeeper: ['read', 'write', 'approve'],
  driver: ['read', 'write'],
  viewer: ['read'],
};
