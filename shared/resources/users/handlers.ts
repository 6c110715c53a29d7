import type { Change, Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { UserCreate, UserPatch } from '../../contracts/generated.js';
import { ROLE_PERMISSIONS, type Role } from '../../contracts/roles.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord, diffPatch } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { mergeRecords } from '../../records/merge-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import { revokeInvitationsOf } from '../access-mails/invitation-rows.js';
import { useUpResets } from '../access-mails/reset-rows.js';
import { endSessionsOfUsers } from '../sessions/session-rows.js';
import { isByPerson, listMarkChanges, type MarkedAddress, markAddress } from './address-marks.js';
import type { WithPasswordHash } from './commands.js';
import { userFields } from './fields.js';
import { createSessions } from './sign-in-handler.js';
import {
  type ActivePeople,
  DEFAULT_ROLE,
  failApproverByKey,
  failLastOwner,
  failOwnerOnly,
  isApproverByKey,
  isByOwner,
  isLastOwner,
  lockActivePeople,
} from './user-roles.js';

interface UserRow extends Row, RecordRef, MarkedAddress {
  name: string;
  password_hash: string;
  deactivated_at: string | null;
  role: Role;
}

const EDITABLE = `${userFields.settable}, password_hash text, is_email_set_by_key boolean, email_proved_at timestamptz`;
const NAMES = parseColumnNames(EDITABLE);
const DEFAULTS: Readonly<Record<string, string>> = { role: "'owner'", is_email_set_by_key: 'false' };
const INSERTED = NAMES.map((name) => (DEFAULTS[name] ? `coalesce(${name}, ${DEFAULTS[name]})` : name));

const listTenants = (commands: readonly Command[]) => [...new Set(commands.map(({ tenantId }) => tenantId))];

export function failTakenEmail(email: string | undefined): CommandOutcome {
  const message = `email ${email} is taken`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}. E-mails are unique in an account, ignoring case.`,
    details: [{ field: 'email', code: 'duplicate', message }],
  });
}

/** Redacts the password for the audit log, which shows only that a password was set. */
function redactPassword({ password_hash: hash, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return hash === undefined ? rest : { ...rest, password: '[redacted]' };
}

/**
 * Creates people. A command fails if an active person of the account has the same email address.
 */
export async function createUsers(
  tx: Transaction,
  commands: Command<WithPasswordHash<UserCreate>>[],
): Promise<CommandOutcome[]> {
  const withRole = ({ input }: (typeof commands)[number]) => ({ ...input, role: input.role ?? DEFAULT_ROLE });
  const ofOwners = commands.filter(({ input }) => input.role === 'owner');
  const active = await lockActivePeople(tx, listTenants(ofOwners));
  const isAllowed = (command: (typeof commands)[number]) =>
    withRole(command).role !== 'owner' || isByOwner(command, active.get(command.tenantId));
  const inserted = await insertUsers(
    tx,
    commands.filter(isAllowed).map((command) => ({
      ...withRole(command),
      ...toRecordRef(command),
      is_email_set_by_key: !isByPerson(command),
    })),
  );
  return commands.map((command) => {
    if (!isAllowed(command)) return failOwnerOnly();
    if (!inserted.has(refKey(toRecordRef(command)))) return failTakenEmail(command.input.email);
    return { ok: true, changes: diffNewRecord(redactPassword(withRole(command))), events: [] };
  });
}

export interface NewUser extends RecordRef {
  name: string;
  email: string;
  role?: Role;
  password_hash?: string;
  /** True if an API key chose the address. Mails to such an address never set a password. */
  is_email_set_by_key?: boolean;
  /** The time at which the person last opened a link that was mailed to the address (ISO 8601). */
  email_proved_at?: string;
}

/**
 * Inserts the people whose email address is free, and returns their keys. A person without a role
 * becomes an owner.
 */
export async function insertUsers(tx: Transaction, rows: NewUser[]): Promise<Set<string>> {
  // All batches insert in the same sequence, so that two batches cannot deadlock.
  const keyOf = (row: (typeof rows)[number]) => `${row.tenant_id}/${row.email.toLowerCase()}`;
  const sorted = [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const inserted = await tx.query<RecordRef>({
    name: 'insert-users',
    text: `insert into users (tenant_id, id, ${NAMES.join(', ')})
           select tenant_id, id, ${INSERTED.join(', ')} from ${recordsetSql(`tenant_id uuid, id uuid, ${EDITABLE}`)}
           on conflict (tenant_id, lower(email)) where deactivated_at is null do nothing returning tenant_id, id`,
    values: [JSON.stringify(sorted)],
  });
  return new Set(inserted.map(refKey));
}

/**
 * Merges changes into people. A new password ends the person's sessions, because an attacker with
 * the old password may be signed in. The last owner of an account keeps the role.
 */
export async function updateUsers(
  tx: Transaction,
  commands: Command<WithPasswordHash<UserPatch>>[],
): Promise<CommandOutcome[]> {
  const active = await lockActivePeople(tx, listTenants(commands));
  const [rows, taken] = await Promise.all([
    lockRecords<UserRow>(tx, 'users', commands.map(toRecordRef)),
    findTakenEmails(tx, commands),
  ]);
  const outcomes = await mergeRecords(tx, commands, {
    table: 'users',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome('user');
      if (row.deactivated_at) return failDeactivated();
      const { role: nextRole = row.role } = command.input;
      const people = active.get(command.tenantId);
      if ([row.role, nextRole].includes('owner') && !isByOwner(command, people)) return failOwnerOnly();
      if (isApproverByKey(command, nextRole, row.role)) return failApproverByKey();
      if (nextRole !== 'owner' && isLastOwner(people, row.id)) return failLastOwner();
      if (taken.has(refKey(row))) return failTakenEmail(command.input.email);
      if (people?.has(row.id)) people.set(row.id, nextRole);
      const mark = markAddress(command, row);
      const set = { ...command.input, ...mark };
      return { row, set, changes: [...listChanges(row, command.input), ...listMarkChanges(row, mark)] };
    },
  });
  const done = commands.filter((_command, nth) => outcomes[nth]?.ok);
  const renewed = done.filter(({ input }) => input.password_hash !== undefined);
  await endSessionsOfUsers(tx, renewed.map(toRecordRef));
  // Invalidate the reset links in earlier mails. Otherwise an attacker who can read such a mail
  // could undo the change of password or address.
  const guarded = done.filter(({ input }) => input.password_hash !== undefined || input.email !== undefined);
  await useUpResets(tx, guarded.map(toRecordRef));
  const demoted = done.filter(({ input: { role } }) => role && !ROLE_PERMISSIONS[role].includes('admin'));
  await revokeInvitationsOf(tx, demoted.map(toRecordRef));
  return outcomes;
}

function listChanges(row: UserRow, { password_hash: hash, ...facts }: WithPasswordHash<UserPatch>): Change[] {
  const changes = diffPatch(row, facts);
  return hash === undefined ? changes : [...changes, { field: 'password', from: null, to: '[redacted]' }];
}

function failDeactivated(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'This person is deactivated. Add them again as a new person to restore access.',
  });
}

/**
 * Finds the commands whose email address another active person has. If another transaction takes
 * the address after this query, the unique index makes the batch fail. When the batch runs again,
 * this function finds the address.
 */
export async function findTakenEmails(
  tx: Transaction,
  commands: Command<{ email?: string }>[],
): Promise<Set<string>> {
  const wanted = commands.flatMap((command) =>
    command.input.email === undefined ? [] : [{ ...toRecordRef(command), email: command.input.email }],
  );
  if (wanted.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: 'user-email-holders',
    text: `select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid, email text')}
           join users t on t.tenant_id = r.tenant_id and lower(t.email) = lower(r.email) and t.deactivated_at is null and t.id <> r.id`,
    values: [JSON.stringify(wanted)],
  });
  return new Set(rows.map(refKey));
}

/**
 * Deactivates people. Refuses to deactivate the last person who can sign in to an account, because
 * then no person could add people again.
 */
export async function deactivateUsers(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<CommandOutcome[]> {
  const active = await lockActivePeople(tx, listTenants(commands));
  const known = await lockRecords<UserRow>(tx, 'users', commands.map(toRecordRef));
  const leaving: RecordRef[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = known.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('user');
    if (row.deactivated_at) return { ok: true, changes: [], events: [] };
    const people = active.get(command.tenantId) as ActivePeople;
    if (row.role === 'owner' && !isByOwner(command, people)) return failOwnerOnly();
    if (people.size === 1 && people.has(row.id)) return failLastPerson();
    if (isLastOwner(people, row.id)) return failLastOwner();
    people.delete(row.id);
    leaving.push(toRecordRef(command));
    return { ok: true, changes: [{ field: 'deactivated_at', from: null, to: 'now' }], events: [] };
  });
  if (leaving.length > 0) await deactivate(tx, leaving);
  return outcomes;
}

function failLastPerson(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'This is the last person who can sign in to this account. Add another one first.',
  });
}

async function deactivate(tx: Transaction, people: RecordRef[]): Promise<void> {
  await tx.query({
    name: 'deactivate-users',
    text: `update users t set deactivated_at = now(), sign_in_addresses = '{}', updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(people)],
  });
  await endSessionsOfUsers(tx, people);
  await useUpResets(tx, people);
  await revokeInvitationsOf(tx, people);
}

export const userHandlers: CommandHandlers = {
  'session.create': createSessions,
  'user.create': createUsers,
  'user.update': updateUsers,
  'user.deactivate': deactivateUsers,
};
