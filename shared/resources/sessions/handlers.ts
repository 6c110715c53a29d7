import type { Command, CommandOutcome } from '../../contracts/command.js';
import { sha256 } from '../../platform/crypto.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import type { NewSession } from './commands.js';
import { addKnownAddress, type KnownAddresses } from './known-addresses.js';
import { SESSION_IDLE_LIFETIME, SESSION_MAX_LIFETIME } from './queries.js';

interface UserRow extends Row {
  password_hash: string;
  deactivated_at: string | null;
  sign_in_addresses: KnownAddresses;
}

const userRef = ({ tenantId, input }: Command<NewSession>): RecordRef => ({
  tenant_id: tenantId,
  id: input.user_id,
});

/**
 * Starts sessions. A sign-in fails when the password has changed, or the person was deactivated,
 * since the api process checked the password.
 */
export async function createSessions(
  tx: Transaction,
  commands: Command<NewSession>[],
): Promise<CommandOutcome[]> {
  const users = await lockRecords<UserRow>(tx, 'users', commands.map(userRef));
  const isCurrent = (command: Command<NewSession>): boolean => {
    const user = users.get(refKey(userRef(command)));
    return (
      user?.deactivated_at === null &&
      sha256(user.password_hash).toString('hex') === command.input.password_mark
    );
  };
  const current = commands.filter(isCurrent);
  await tx.query({
    name: 'insert-sessions',
    text: `insert into sessions (tenant_id, id, user_id, token_hash, idle_expires_at, expires_at)
           select tenant_id, id, user_id, decode(token_hash, 'hex'), now() + ${SESSION_IDLE_LIFETIME}, now() + ${SESSION_MAX_LIFETIME}
           from ${recordsetSql('tenant_id uuid, id uuid, user_id uuid, token_hash text')}`,
    values: [JSON.stringify(current.map((command) => ({ ...command.input, ...toRecordRef(command) })))],
  });
  await storeAddresses(tx, current, users);
  return commands.map((command) =>
    current.includes(command)
      ? { ok: true, changes: [], events: [] }
      : failedOutcome({ code: 'unauthorized', message: 'E-mail or password is wrong.' }),
  );
}

/** Stores the networks of people who signed in as keyed hashes; see `known-addresses.ts`. */
async function storeAddresses(
  tx: Transaction,
  commands: Command<NewSession>[],
  users: Map<string, UserRow>,
): Promise<void> {
  const rows = commands.flatMap((command) => {
    const { address_mark: mark } = command.input;
    const ref = userRef(command);
    const known = users.get(refKey(ref))?.sign_in_addresses ?? {};
    return mark ? [{ ...ref, sign_in_addresses: addKnownAddress(known, mark, Date.now()) }] : [];
  });
  if (rows.length === 0) return;
  await tx.query({
    name: 'remember-sign-in-addresses',
    text: `update users t set sign_in_addresses = r.sign_in_addresses
           from ${recordsetSql('tenant_id uuid, id uuid, sign_in_addresses jsonb')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

interface SessionRow extends Row {
  ended_at: string | null;
}

/**
 * Ends sessions immediately; the clock deletes them later. Ending an ended session changes nothing.
 */
export async function endSessions(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  const rows = await lockRecords<SessionRow>(tx, 'sessions', refs);
  await tx.query({
    name: 'end-sessions',
    text: `update sessions t set ended_at = coalesce(t.ended_at, now())
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return commands.map((command) => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('session');
    const changes = row.ended_at ? [] : [{ field: 'ended_at', from: null, to: 'now' }];
    return { ok: true, changes, events: [] };
  });
}
