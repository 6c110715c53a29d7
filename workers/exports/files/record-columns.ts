import type { ExportTable } from '../../../shared/resources/exports/request/export-request.js';
import { type CsvColumn, centsColumn, memberColumn, textColumn } from './cells.js';
import type { RelatedName } from './related-names.js';

interface RecordColumns {
  /**
   * Members of the record in REST, in the sequence of the columns. `location.lat` is a member of an
   * object.
   */
  members: string;
  /** Names of related records, in columns after the members. */
  names: readonly RelatedName[];
}

/**
 * Small tables. Their cells come from the JSON of each record, which is slower than reading
 * columns.
 */
export type RecordTable = Extract<ExportTable, 'rate_cards' | 'impounds' | 'claims' | 'messages'>;

/** The sequence of columns is part of the public format: add new members at the end. */
export const RECORD_COLUMNS: Readonly<Record<RecordTable, RecordColumns>> = {
  rate_cards: {
    members: `id name version effective_from effective_until superseded_by is_default after_hours_window.start
      after_hours_window.end after_hours_window.weekends items created_at`,
    names: [],
  },
  impounds: {
    members: `id status work_order_id customer_id vehicle.vin vehicle.plate vehicle.make vehicle.model vehicle.year
      vehicle.color lot spot hold_reason impounded_at released_at release_kind released_to daily_rate_cents free_days days
      accrued_days storage_cents invoiced_days unbilled_days notes created_at updated_at`,
    names: ['job_number', 'customer_name'],
  },
  claims: {
    members: `id invoice_id club provider_id po_number status status_reason attempt submitted_at submit_by respond_by
      denial_code denial_reason expected_cents paid_cents evidence created_at updated_at`,
    names: ['invoice_number'],
  },
  messages: {
    members: `id invoice_id channel recipient subject state provider error attempts next_attempt_at sent_at
      link_expires_at link_revoked_at created_at updated_at`,
    names: ['invoice_number'],
  },
};

/**
 * Builds the columns of a small table.
 * @param alias alias of a row source with the record's JSON as `record`, its columns of cents and
 * the names
 */
export function recordColumns(table: RecordTable, alias: string): CsvColumn[] {
  const { members, names } = RECORD_COLUMNS[table];
  return [
    ...members.split(/\s+/).map((path) =>
      // Amounts in cents are also columns of the table, so that SQL can sum them.
      path.endsWith('_cents') ? centsColumn(alias, path) : memberColumn(alias, path.split('.')),
    ),
    ...names.map((name) => textColumn(alias, name)),
  ];
}
