import type { Command, CommandOutcome } from '../../contracts/command.js';
import { ROLE_PERMISSIONS, type Role } from '../../contracts/roles.js';
import { UNUSABLE_PASSWORD_HASH } from '../../platform/crypto.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome } from '../../records/outcomes.js';
import type { RecordRef } from '../../records/record-refs.js';

/** The role of a person who is added without a role. */
export const DEFAULT_ROLE: Role = 'admin';

/** The people who can sign in to an account, by id, with their roles. */
export type ActivePeople = Map<string, Role>;

/**
 * True if the sender of a command may create, change and deactivate owners: an owner or an
 * operator. A key may not do so. Otherwise an admin could create a key and use it to become an
 * owner.
 * @param active the locked people of the account, so that an earlier demotion counts
 */
export function isByOwner({ actor }: Command, active: ActivePeople | undefined): boolean {
  if (actor.type === 'system') return true;
  return actor.type === 'user' && active?.get(actor.id ?? '') === 'owner';
}

/**
 * Locks and returns the people who can sign in, by account. If two people deactivate or demote each
 * other concurrently, the lock makes the second command see the first command's change.
 */
export async function lockActivePeople(
  tx: Transaction,
  tenantIds: string[],
): Promise<Map<string, ActivePeople>> {
  const rows = await tx.query<RecordRef & { role: Role }>({
    name: 'lock-active-users',
    text: `select tenant_id, id, role from users where tenant_id = any($1::uuid[]) and deactivated_at is null and password_hash <> $2
           order by tenant_id, id for update`,
    values: [tenantIds, UNUSABLE_PASSWORD_HASH],
  });
  const active = new Map<string, ActivePeople>(tenantIds.map((id) => [id, new Map()]));
  for (const { tenant_id: tenantId, id, role } of rows) active.get(tenantId)?.set(id, role);
  return active;
}

/** True if the person is the only owner who can sign in to the account. */
export function isLastOwner(active: ActivePeople | undefined, id: string): boolean {
  const owners = [...(active ?? [])].filter(([, role]) => role === 'owner');
  return owners.length === 1 && owners[0]?.[0] === id;
}

export function failOwnerOnly(): CommandOutcome {
  return failedOutcome({
    code: 'forbidden',
    message: 'Only an owner makes, changes or deactivates owners. Ask an owner of this account.',
  });
}

export function failLastOwner(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'This is the last owner who can sign in to this account. Make another person owner first.',
  });
}

/**
 * True if a key would give a person a role that may approve. The owner of the key could then sign
 * in as that person, and make decisions that no key may make.
 * @param before the role that the person has; undefined for a new person
 */
export function isApproverByKey({ actor }: Command, role: Role, before?: Role): boolean {
  const mayApprove = (one: Role) => ROLE_PERMISSIONS[one].includes('approve');
  return actor.type === 'api_key' && mayApprove(role) && !(before && mayApprove(before));
}

export function failApproverByKey(): CommandOutcome {
  return failedOutcome({
    code: 'forbidden',
    message: 'A key cannot give a person a role that may approve. Ask an owner or admin to do it, signed in.',
  });
}
