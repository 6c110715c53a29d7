import type { Change, Command } from '../../contracts/command.js';
import type { UserPatch } from '../../contracts/generated.js';
import { diffPatch } from '../../records/changes.js';
import type { WithPasswordHash } from './commands.js';

export interface MarkedAddress {
  email: string;
  /**
   * True if an API key chose the address. A mail to such an address never contains a link that sets
   * a password.
   */
  is_email_set_by_key: boolean;
}

/** True for a signed-in person and for the operator. False for every kind of key. */
export function isByPerson({ actor }: Command): boolean {
  return ['user', 'system'].includes(actor.type);
}

/**
 * Returns the mark `is_email_set_by_key` for an address that the command sets. Without the mark, a
 * key could enter its own mailbox, reset the person's password by mail, and then act with the
 * person's rights. If a person sends the address, even unchanged, the mark is removed.
 */
export function markAddress(
  command: Command<WithPasswordHash<UserPatch>>,
  row: MarkedAddress,
): { is_email_set_by_key?: boolean; email_proved_at?: null } {
  const { email } = command.input;
  if (email === undefined) return {};
  const isSame = email.toLowerCase() === row.email.toLowerCase();
  if (isByPerson(command))
    return { is_email_set_by_key: false, ...(isSame ? {} : { email_proved_at: null }) };
  return isSame ? {} : { is_email_set_by_key: true, email_proved_at: null };
}

/** Lists the change of the mark. The mark may change although the address stays the same. */
export function listMarkChanges(row: MarkedAddress, mark: ReturnType<typeof markAddress>): Change[] {
  const { is_email_set_by_key: next = row.is_email_set_by_key } = mark;
  return diffPatch({ is_email_set_by_key: row.is_email_set_by_key }, { is_email_set_by_key: next });
}
