import type { Change, Command } from '../../contracts/command.js';
import type { UserPatch } from '../../contracts/generated.js';
import { diffPatch } from '../../records/changes.js';
import type { WithPasswordHash } from './commands.js';

export interface MarkedAddress {
  email: string;
  /** True if an API key chose the address. Mails to it then set no password. */
  is_email_set_by_key: boolean;
}

/** True for a signed-in person and for the operator, false for keys of every kind. */
export function isByPerson({ actor }: Command): boolean {
  return ['user', 'system'].includes(actor.type);
}

/**
 * Marks an address that a key chooses. A key could otherwise choose its own mailbox, reset the
 * person's password by mail, and then do what no key may. A person who sends the address, even the
 * same one, vouches for it.
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

/** Lists the change of a mark on an address that stays the same. */
export function listMarkChanges(row: MarkedAddress, mark: ReturnType<typeof markAddress>): Change[] {
  const { is_email_set_by_key: next = row.is_email_set_by_key } = mark;
  return diffPatch({ is_email_set_by_key: row.is_email_set_by_key }, { is_email_set_by_key: next });
}
