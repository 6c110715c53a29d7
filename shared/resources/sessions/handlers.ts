import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';

interface SessionRow extends Row {
  ended_at: string | null;
}

/**
 * Marks sessions as ended; the clock deletes them later. Ending an ended session changes nothing.
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

export const sessionHandlers: CommandHandlers = {
  'session.end': endSessions,
};
