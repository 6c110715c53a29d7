import type { ExportStatus } from '../../contracts/vocabulary.js';
import type { Row } from '../../platform/postgres/database.js';
import type { AccountQuotaRule } from '../../records/account-quota.js';
import type { RecordRef } from '../../records/record-refs.js';
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
