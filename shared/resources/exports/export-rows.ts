import type { ExportStatus } from '../../contracts/vocabulary.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import type { AccountQuotaRule } from '../../records/account-quota.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { MAX_UNFINISHED_EXPORTS } from './limits.js';

export interface ExportRow extends Row, RecordRef {
  resource: string;
  format: string;
  status: ExportStatus;
  attempts: number;
  tries: number;
  expires_at: string | null;
}

export const UNFINISHED_EXPORT_QUOTA: AccountQuotaRule = {
  table: 'exports',
  countedRows: "t.status in ('queued', 'running')",
  maxRecords: MAX_UNFINISHED_EXPORTS,
  refusalMessage: `${MAX_UNFINISHED_EXPORTS} exports of this account are not finished yet. Wait for one to complete, or cancel one.`,
};

/**
 * Sets the final status of exports. If a worker is still writing an export, that worker loses its
 * lease.
 */
export async function setFinalStatus(
  tx: Transaction,
  rows: (RecordRef & { status: string; error?: { code: string; message: string } })[],
): Promise<void> {
  await tx.query({
    name: 'end-exports',
    text: `update exports t set status = r.status, error = r.error, lease_owner = null,
             expires_at = case when r.status = 'expired' then least(t.expires_at, date_trunc('milliseconds', clock_timestamp())) end,
             updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, status text, error jsonb')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}
