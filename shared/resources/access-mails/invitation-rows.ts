import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { InvitationCreate } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import type { AccountQuotaRule } from '../../records/account-quota.js';
import type { ExpiryRule } from '../../records/expiry.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';

export const INVITATION_DAYS = 7;

/**
 * Maximum number of invitations that an account may send to one address within a day. The limit
 * protects the address from floods of mail.
 */
export const MAX_PER_ADDRESS_AND_DAY = 5;

const MAX_OPEN = 100;

/** SQL condition on the alias `t` for invitations that were neither accepted nor revoked. */
export const IS_UNUSED_SQL = 't.accepted_at is null and t.revoked_at is null';

/** SQL condition on the alias `t` for invitations whose link still works. */
export const IS_OPEN_SQL = `${IS_UNUSED_SQL} and t.expires_at > now()`;

export const OPEN_INVITATION_QUOTA: AccountQuotaRule = {
  table: 'invitations',
  countedRows: IS_OPEN_SQL,
  maxRecords: MAX_OPEN,
  refusalMessage: `An account has ${MAX_OPEN} open invitations at most. Revoke one that is no longer needed.`,
};

/**
 * Maximum number of invitations that an account may create within a day, because each invitation
 * sends a mail.
 */
const MAX_PER_DAY = 100;

/**
 * A command that creates an invitation. The api process adds the hash of the link's token, in hex.
 */
export type CreateCommand = Command<InvitationCreate & { token_hash: string }>;

const toEmailRow = (command: CreateCommand) => ({ ...toRecordRef(command), email: command.input.email });

const EMAILS = 'tenant_id uuid, id uuid, email text';

/**
 * For each command, counts the invitations that the account sent to the command's address within a
 * day. The keys of the map are {@link refKey} of the new invitations.
 */
export async function countRecentInvitations(
  tx: Transaction,
  commands: readonly CreateCommand[],
): Promise<Map<string, number>> {
  const rows = await tx.query<RecordRef & { count: number }>({
    name: 'count-recent-invitations',
    text: `select r.tenant_id, r.id, count(*)::int as count from ${recordsetSql(EMAILS)}
           join invitations t on t.tenant_id = r.tenant_id and lower(t.email) = lower(r.email) and t.created_at > now() - interval '1 day'
           group by 1, 2`,
    values: [JSON.stringify(commands.map(toEmailRow))],
  });
  return new Map(rows.map((row) => [refKey(row), row.count]));
}

/**
 * Counts the invitations that each account created within a day. The caller must have locked the
 * accounts.
 */
export async function countInvitationsToday(
  tx: Transaction,
  tenantIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ tenant_id: string; count: number }>({
    name: 'count-invitations-today',
    text: `select tenant_id, count(*)::int as count from invitations
           where tenant_id = any($1::uuid[]) and created_at > now() - interval '1 day' group by 1`,
    values: [tenantIds],
  });
  return new Map(rows.map(({ tenant_id, count }) => [tenant_id, count]));
}

/**
 * Adds one to the number of invitations that the account created within a day.
 * @returns a failed outcome if the limit is reached, otherwise undefined
 */
export function reserveToday(today: Map<string, number>, tenantId: string): CommandOutcome | undefined {
  const count = today.get(tenantId) ?? 0;
  if (count >= MAX_PER_DAY)
    return failedOutcome({
      code: 'conflict',
      message: `An account invites at most ${MAX_PER_DAY} people within a day. Try again tomorrow.`,
    });
  today.set(tenantId, count + 1);
  return undefined;
}

/**
 * Revokes the open invitations to the commands' addresses, because the new invitations replace
 * them.
 */
export async function replaceInvitations(tx: Transaction, commands: readonly CreateCommand[]): Promise<void> {
  await tx.query({
    name: 'replace-invitations',
    text: `update invitations t set revoked_at = now(), updated_at = ${nextUpdatedAtSql('t')} from ${recordsetSql(EMAILS)}
           where t.tenant_id = r.tenant_id and lower(t.email) = lower(r.email) and ${IS_UNUSED_SQL}`,
    values: [JSON.stringify(commands.map(toEmailRow))],
  });
}

function toNewRow(command: CreateCommand) {
  const { actor, input } = command;
  return { ...toRecordRef(command), ...input, invited_by: actor.type === 'user' ? actor.id : null };
}

export async function insertInvitations(tx: Transaction, commands: readonly CreateCommand[]): Promise<void> {
  await tx.query({
    name: 'insert-invitations',
    text: `insert into invitations (tenant_id, id, email, role, token_hash, invited_by, expires_at)
           select tenant_id, id, email, role, decode(token_hash, 'hex'), invited_by, now() + interval '${INVITATION_DAYS} days'
           from ${recordsetSql(`${EMAILS}, role text, token_hash text, invited_by uuid`)}`,
    values: [JSON.stringify(commands.map(toNewRow))],
  });
}

/** Records the time at which invitations were accepted or revoked. */
export async function endInvitations(
  tx: Transaction,
  column: 'accepted_at' | 'revoked_at',
  refs: readonly RecordRef[],
): Promise<void> {
  if (refs.length === 0) return;
  await tx.query({
    name: `end-invitations-${column}`,
    text: `update invitations t set ${column} = now(), updated_at = ${nextUpdatedAtSql('t')} from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
}

/**
 * Revokes the open invitations that these people sent, because they may no longer invite. Otherwise
 * a person who loses access could return through an invitation to another mailbox.
 */
export async function revokeInvitationsOf(tx: Transaction, people: readonly RecordRef[]): Promise<void> {
  if (people.length === 0) return;
  await tx.query({
    name: 'revoke-invitations-of-people',
    text: `update invitations t set revoked_at = now(), updated_at = ${nextUpdatedAtSql('t')} from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.invited_by = r.id and ${IS_UNUSED_SQL}`,
    values: [JSON.stringify(people)],
  });
}

/** Deletes ended invitations after a month. The audit log keeps their history. */
export const EXPIRED_INVITATIONS: ExpiryRule = {
  table: 'invitations',
  condition: `coalesce(o.accepted_at, o.revoked_at, o.expires_at) < now() - interval '30 days'`,
};
