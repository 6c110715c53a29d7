import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';

interface SessionRow extends Row {
  user_id: string;
  ended_at: string | null;
}

/**
 * Marks sessions of the commands' people as ended; the clock deletes them later. Ending an ended
 * session changes nothing.
 */
export async function endSessions(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  const rows = await lockRecords<SessionRow>(tx, 'sessions', refs);
  const findOwn = (command: Command) => {
    const row = rows.get(refKey(toRecordRef(command)));
    return row?.user_id === command.actor.id ? row : undefined;
  };
  await tx.query({
    name: 'end-sessions',
    text: `update sessions t set ended_at = coalesce(t.ended_at, now())
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(commands.filter(findOwn).map(toRecordRef))],
  });
  return commands.map((command) => {
    const row = findOwn(command);
    if (!row) return notFoundOutcome('session');
    const changes = row.ended_at ? [] : [{ field: 'ended_at', from: null, to: 'now' }];
    return { ok: true, changes, events: [] };
  });
}

/** For each command, ends all sessions of its person except the session that the command names. */
export async function endOtherSessions(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<CommandOutcome[]> {
  const rows = commands.map((command) => ({ ...toRecordRef(command), user_id: command.actor.id }));
  const ended = await tx.query<RecordRef>({
    name: 'end-other-sessions',
    text: `update sessions t set ended_at = now() from ${recordsetSql('tenant_id uuid, id uuid, user_id uuid')}
           where t.tenant_id = r.tenant_id and t.user_id = r.user_id and t.id <> r.id and t.ended_at is null
           returning t.tenant_id, r.id`,
    values: [JSON.stringify(rows)],
  });
  return commands.map((command) => {
    const key = refKey(toRecordRef(command));
    const count = ended.filter((row) => refKey(row) === key).length;
    const changes = count === 0 ? [] : [{ field: 'other_sessions', from: count, to: 0 }];
    return { ok: true, changes, events: [] };
  });
}

export const sessionHandlers: CommandHandlers = {
  'session.end_others': endOtherSessions,
  'session.end': endSessions,
};
