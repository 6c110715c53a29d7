import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from '../records/record-refs.js';

export interface InboundNoticeRow {
  tenant_id: string;
  connection_id: string;
  dedupe_id: string;
  stream: string;
}

/** Stores the items of webhooks. Returns only the items that were not stored before. */
export async function insertInboundNotices(
  tx: Transaction,
  notices: readonly InboundNoticeRow[],
): Promise<InboundNoticeRow[]> {
  if (notices.length === 0) return [];
  return tx.query<InboundNoticeRow>({
    name: 'insert-inbound-notices',
    text: `insert into inbound_notices (tenant_id, connection_id, dedupe_id, stream)
           select tenant_id, connection_id, dedupe_id, stream
           from ${recordsetSql('tenant_id uuid, connection_id uuid, dedupe_id text, stream text')}
           on conflict do nothing returning tenant_id, connection_id, dedupe_id, stream`,
    values: [JSON.stringify(notices)],
  });
}
