import type { Config } from '../../config/config.js';
import type { Command } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { recordsetSql } from '../../records/record-refs.js';
import type { NoticeKind } from './kinds.js';

export interface NoticeDraft {
  kind: NoticeKind;
  /** A single line of text. It is also the subject of the mail. */
  title: string;
  text: string;
  entity_type: string;
  entity_id: string;
}

/**
 * Stores notices, each with a mail to every active person of the account. Call this function in the
 * transaction of the commands that cause the notices. For each kind and entity, at most one notice
 * per hour is mailed, because an entity may fail and recover repeatedly. Without a mail server, and
 * in a sandbox, nothing is mailed (docs/decisions.md §6).
 */
export async function insertNotices(
  tx: Transaction,
  drafts: readonly { command: Pick<Command, 'tenantId' | 'environment'>; notice: NoticeDraft }[],
  config: Config,
): Promise<void> {
  if (drafts.length === 0) return;
  const rows = drafts.map(({ command, notice }) => ({ ...notice, tenant_id: command.tenantId, id: newId() }));
  const mailed = rows.filter((_, index) => config.smtpUrl && drafts[index]?.command.environment === 'live');
  await Promise.all([
    tx.query({
      name: 'insert-notices',
      text: `insert into notices (tenant_id, id, kind, title, text, entity_type, entity_id)
             select tenant_id, id, kind, title, text, entity_type, entity_id
             from ${recordsetSql('tenant_id uuid, id uuid, kind text, title text, text text, entity_type text, entity_id uuid')}`,
      values: [JSON.stringify(rows)],
    }),
    mailed.length > 0 &&
      tx.query({
        name: 'insert-notice-mails',
        text: `insert into notice_mails (tenant_id, notice_id, user_id)
               select r.tenant_id, r.id, u.id from ${recordsetSql('tenant_id uuid, id uuid, kind text, entity_id uuid')}
               join users u on u.tenant_id = r.tenant_id and u.deactivated_at is null
               where not exists (
                 select from notices n join notice_mails m on m.tenant_id = n.tenant_id and m.notice_id = n.id
                 where n.tenant_id = r.tenant_id and n.created_at > now() - interval '1 hour' and n.id <> r.id
                   and n.kind = r.kind and n.entity_id = r.entity_id)`,
        values: [JSON.stringify(mailed)],
      }),
  ]);
}
