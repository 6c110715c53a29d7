import type { Config } from '../../config/config.js';
import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { ACCESS_MAILS_PROMPT } from '../../queues/messages.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { lockOpenResets, useUpResets } from '../access-mails/reset-rows.js';
import { insertAccessMails, toOneLine } from '../access-mails/store.js';
import { findAccountNames } from '../tenants/find-tenant.js';
import type { PasswordReset } from '../users/commands.js';
import { setPasswords } from '../users/set-passwords.js';

interface UserRow extends Row, RecordRef {
  email: string;
  deactivated_at: string | null;
  is_email_set_by_key: boolean;
}

/**
 * Sets passwords through the links in mails. Each link works once. Using it also invalidates all
 * other links of the person.
 */
async function resetPasswords(
  tx: Transaction,
  commands: Command<PasswordReset>[],
  { publicUrl }: Config,
): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  const users = await lockRecords<UserRow>(tx, 'users', refs);
  const open = await lockOpenResets(tx, refs);
  const findUser = (command: Command<PasswordReset>) => {
    const user = users.get(refKey(toRecordRef(command)));
    const isOpen = user && !user.deactivated_at && !user.is_email_set_by_key;
    return isOpen && open.has(command.input.reset_id) ? user : undefined;
  };
  const done = commands.flatMap((command) => {
    const user = findUser(command);
    return user ? [{ user, password_hash: command.input.password_hash }] : [];
  });
  await setPasswords(
    tx,
    done.map(({ user: { tenant_id, id }, password_hash }) => ({ tenant_id, id, password_hash })),
  );
  const people = done.map(({ user }) => user);
  await useUpResets(tx, people);
  await insertConfirmations(tx, people, publicUrl);
  return commands.map((command) => {
    if (!findUser(command)) return notFoundOutcome('link');
    const prompts = [{ queue: ACCESS_MAILS_PROMPT, id: command.id }];
    const changes = [{ field: 'password', from: null, to: '[redacted]' }];
    return { ok: true, changes, events: [], prompts };
  });
}

/**
 * Stores mails that tell people of their changed password, in case another person has used their
 * link.
 */
async function insertConfirmations(
  tx: Transaction,
  people: readonly UserRow[],
  publicUrl: string,
): Promise<void> {
  const names = await findAccountNames(
    tx,
    people.map((user) => user.tenant_id),
  );
  await insertAccessMails(
    tx,
    people.map(({ tenant_id, email }) => {
      const account = toOneLine(names.get(tenant_id) ?? '');
      return {
        tenant_id,
        kind: 'password_changed' as const,
        recipient: email,
        subject: `Your password for ${account} was changed`,
        body_text: [
          `The password of ${email} for ${account} was changed by a link that we had mailed to this address. All sessions ended.`,
          `If this was not you, ask for a new link on ${publicUrl}/app/forgot-password, and tell an owner of the account.`,
        ].join('\n\n'),
      };
    }),
  );
}

export const passwordResetHandlers: CommandHandlers = {
  'user.reset_password': resetPasswords,
};
