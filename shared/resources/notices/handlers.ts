import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';

interface NoticeRow extends Row, RecordRef {
  read_at: string | null;
}

/**
 * Marks notices as read for all people of the account. A notice that is already read keeps its
 * `read_at`.
 */
export async function markNoticesRead(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const rows = await lockRecords<NoticeRow>(tx, 'notices', commands.map(toRecordRef));
  const now = new Date().toISOString();
  const read: RecordRef[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('notice');
    if (row.read_at !== null) return { ok: true, changes: [], events: [] };
    read.push(toRecordRef(command));
    return { ok: true, changes: [{ field: 'read_at', from: null, to: now }], events: [] };
  });
  if (read.length > 0) await storeRead(tx, read, now);
  return outcomes;
}

async function storeRead(tx: Transaction, refs: RecordRef[], readAt: string): Promise<void> {
  await tx.query({
    name: 'mark-notices-read',
    text: `update notices t set read_at = $2 from ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs), readAt],
  });
}

export const noticeHandlers: CommandHandlers = {
  'notice.mark_read': markNoticesRead,
};
