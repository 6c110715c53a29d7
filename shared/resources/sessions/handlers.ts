import type { Command, Outcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { lockRecords, missing, recordset, refKey, refOf } from '../sets.js';
import type { NewSession } from './commands.js';
import { ABSOLUTE_LIFE, IDLE_LIFE } from './queries.js';

export async function createSessions(tx: Transaction, commands: Command<NewSession>[]): Promise<Outcome[]> {
  await tx.query({
    name: 'insert-sessions',
    text: `insert into sessions (tenant_id, id, user_id, token_hash, idle_expires_at, expires_at)
           select tenant_id, id, user_id, decode(token_hash, 'hex'), now() + ${IDLE_LIFE}, now() + ${ABSOLUTE_LIFE}
           from ${recordset('tenant_id uuid, id uuid, user_id uuid, token_hash text')}`,
    values: [JSON.stringify(commands.map((command) => ({ ...command.input, ...refOf(command) })))],
  });
  return commands.map(() => ({ ok: true, changes: [], events: [] }));
}

interface SessionRow extends Row {
  ended_at: string | null;
}

/** Ends sessions at once; the clock forgets them later. Ending an ended one changes nothing. */
export async function endSessions(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<Outcome[]> {
  const refs = commands.map(refOf);
  const rows = await lockRecords<SessionRow>(tx, 'sessions', refs);
  await tx.query({
    name: 'end-sessions',
    text: `update sessions t set ended_at = coalesce(t.ended_at, now())
           from ${recordset('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return commands.map((command) => {
    const row = rows.get(refKey(refOf(command)));
    if (!row) return missing('session');
    const changes = row.ended_at ? [] : [{ field: 'ended_at', from: null, to: 'now' }];
    return { ok: true, changes, events: [] };
  });
}
