import type { Config } from '../../config/config.js';
import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Role } from '../../contracts/roles.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { ACCESS_MAILS_PROMPT } from '../../queues/messages.js';
import { AccountQuota } from '../../records/account-quota.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import {
  type CreateCommand,
  countInvitationsToday,
  countRecentInvitations,
  endInvitations,
  insertInvitations,
  MAX_PER_ADDRESS_AND_DAY,
  OPEN_INVITATION_QUOTA,
  replaceInvitations,
  reserveToday,
} from '../access-mails/invitation-rows.js';
import { failTakenEmail, findTakenEmails, insertUsers } from '../users/handlers.js';
import {
  failApproverByKey,
  failOwnerOnly,
  isApproverByKey,
  isByOwner,
  lockActivePeople,
} from '../users/user-roles.js';
import type { AcceptedInvitation } from './commands.js';
import { insertInvitationMails } from './invitation-mails.js';

interface InvitationRow extends Row, RecordRef {
  email: string;
  role: Role;
  expires_at: string;
  accepted_at: string | null;
  revoked_at: string | null;
}

/**
 * Invites people by mail. A new invitation replaces an open one to the same address. As with users,
 * only an owner may invite an owner, and no key may invite a person with the right to approve.
 */
async function createInvitations(
  tx: Transaction,
  commands: CreateCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const tenants = [...new Set(commands.map(({ tenantId }) => tenantId))];
  const active = await lockActivePeople(tx, tenants);
  const taken = await findTakenEmails(tx, commands);
  const recent = await countRecentInvitations(tx, commands);
  const isRefusedRole = ({ input, ...command }: CreateCommand) =>
    input.role === 'owner' && !isByOwner({ input, ...command }, active.get(command.tenantId));
  const refusals = commands.map((command): CommandOutcome | undefined => {
    const key = refKey(toRecordRef(command));
    if (isRefusedRole(command)) return failOwnerOnly();
    if (isApproverByKey(command, command.input.role)) return failApproverByKey();
    if (taken.has(key)) return failTakenEmail(command.input.email);
    return (recent.get(key) ?? 0) >= MAX_PER_ADDRESS_AND_DAY ? failTooOften(command.input.email) : undefined;
  });
  await replaceInvitations(
    tx,
    commands.filter((_command, nth) => !refusals[nth]),
  );
  const quota = await AccountQuota.load(tx, commands, OPEN_INVITATION_QUOTA);
  const today = await countInvitationsToday(tx, tenants);
  const outcomes = commands.map(
    (command, nth) =>
      refusals[nth] ??
      reserveToday(today, command.tenantId) ??
      quota.reserve(command.tenantId) ??
      buildOutcome(command),
  );
  const invited = commands.filter((_command, nth) => outcomes[nth]?.ok);
  await insertInvitations(tx, invited);
  if (config.smtpUrl) await insertInvitationMails(tx, invited);
  return outcomes;
}

function buildOutcome({ input: { token_hash, ...facts }, entityId }: CreateCommand): CommandOutcome {
  const prompts = [{ queue: ACCESS_MAILS_PROMPT, id: entityId }];
  return { ok: true, changes: diffNewRecord(facts), events: [], prompts };
}

function failTooOften(email: string): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `${email} was invited ${MAX_PER_ADDRESS_AND_DAY} times within a day. Wait, or ask them to look into their spam folder.`,
  });
}

const isUnused = ({ accepted_at, revoked_at }: InvitationRow): boolean => !accepted_at && !revoked_at;

/**
 * Revokes invitations. Revoking an invitation twice changes nothing. Returns a conflict for an
 * accepted invitation, because the invited person already belongs to the account.
 */
async function revokeInvitations(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<InvitationRow>(tx, 'invitations', commands.map(toRecordRef));
  const open = [...rows.values()].filter(isUnused);
  await endInvitations(tx, 'revoked_at', open);
  return commands.map((command) => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('invitation');
    if (row.accepted_at) return failAccepted();
    const changes = row.revoked_at ? [] : [{ field: 'revoked_at', from: null, to: 'now' }];
    return { ok: true, changes, events: [] };
  });
}

function failAccepted(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'This invitation was accepted. Deactivate the person instead.',
  });
}

/**
 * Adds the people who accept invitations. Locks the invitations, so that only one of several
 * concurrent requests with the same link succeeds.
 */
async function acceptInvitations(
  tx: Transaction,
  commands: Command<AcceptedInvitation>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<InvitationRow>(tx, 'invitations', commands.map(toRecordRef));
  const findOpen = (command: Command<AcceptedInvitation>) => {
    const row = rows.get(refKey(toRecordRef(command)));
    const isOpen = row && isUnused(row) && Date.parse(row.expires_at) > Date.now();
    return isOpen ? row : undefined;
  };
  const people = commands.flatMap((command) => {
    const row = findOpen(command);
    if (!row) return [];
    const { tenant_id, email, role } = row;
    const { user_id: id, name, password_hash } = command.input;
    return [{ tenant_id, id, name, password_hash, email, role, email_proved_at: new Date().toISOString() }];
  });
  const inserted = await insertUsers(tx, people);
  const isAdded = ({ tenantId, input }: Command<AcceptedInvitation>) =>
    inserted.has(refKey({ tenant_id: tenantId, id: input.user_id }));
  await endInvitations(tx, 'accepted_at', commands.filter(isAdded).map(toRecordRef));
  return commands.map((command) => {
    const row = findOpen(command);
    if (!row) return notFoundOutcome('link');
    if (!isAdded(command)) return failTakenEmail(row.email);
    const { user_id, name } = command.input;
    const changes = diffNewRecord({
      user_id,
      name,
      email: row.email,
      role: row.role,
      password: '[redacted]',
    });
    return { ok: true, changes, events: [] };
  });
}

export const invitationHandlers: CommandHandlers = {
  'invitation.create': createInvitations,
  'invitation.revoke': revokeInvitations,
  'invitation.accept': acceptInvitations,
};
