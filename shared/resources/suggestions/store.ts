import type { Command } from '../../contracts/command.js';
import type { ProposedLine } from '../../contracts/generated.js';
import { newId } from '../../platform/ids.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import type { SuggestionDraft, SuggestionStatus } from './detectors/kinds.js';

export interface SuggestionRow extends Row, RecordRef {
  detector: string;
  invoice_id: string | null;
  proposed_lines: ProposedLine[];
  invoice_subtotal_cents: number | null;
  status: SuggestionStatus;
  note: string | null;
}

export type NewSuggestion = SuggestionDraft & RecordRef;

const COLUMNS = `tenant_id uuid, id uuid, kind text, detector text, entity_type text, entity_id uuid, occasion text, invoice_id uuid, title text,
  rationale text, amount_cents bigint, confidence numeric, proposed_lines jsonb, invoice_subtotal_cents bigint`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/**
 * Inserts suggestions, except those that already exist in any status. Returns the keys of the
 * inserted suggestions.
 */
export async function insertSuggestions(
  tx: Transaction,
  rows: readonly NewSuggestion[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const occasion = (row: NewSuggestion) =>
    `${row.tenant_id}/${row.invoice_id}/${row.detector}/${row.entity_id}/${row.occasion}`;
  // Sort the rows of each account by invoice id. Inserting a suggestion locks its invoice (foreign
  // key), and commands that change invoices also lock them in the sequence of their ids. Without a
  // common sequence, two transactions could deadlock.
  const sorted = [...rows].sort((a, b) => (occasion(a) < occasion(b) ? -1 : 1));
  const inserted = await tx.query<RecordRef>({
    name: 'insert-suggestions',
    text: `insert into suggestions (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, detector, entity_id, occasion) do nothing returning tenant_id, id`,
    values: [JSON.stringify(sorted)],
  });
  return new Set(inserted.map(refKey));
}

export function buildSuggestion(command: Command, draft: SuggestionDraft): NewSuggestion {
  return { ...draft, tenant_id: command.tenantId, id: newId() };
}

export interface DecidedRow extends RecordRef {
  status: SuggestionStatus;
  note: string | null;
  decided_by: unknown;
  decided_at: string | null;
}

export async function storeDecisions(tx: Transaction, rows: readonly DecidedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'decide-suggestions',
    text: `update suggestions t set status = r.status, note = r.note, decided_by = r.decided_by, decided_at = r.decided_at,
             updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, status text, note text, decided_by jsonb, decided_at timestamptz')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}
