import type { RemittanceLineInput, RemittanceLinePatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';
import type { LineOutcome } from './enums.js';

export interface LineRow
  extends Row,
    RecordRef,
    Required<RemittanceLineInput>,
    Required<RemittanceLinePatch> {
  remittance_id: string;
  position: number;
  status: 'open' | 'applied' | 'ignored';
  outcome: LineOutcome;
  reason: string;
  invoice_id: string | null;
  expected_cents: number | null;
  is_claim_named: boolean;
  payment_id: string | null;
}

const CHANGED_COLUMNS = `status text, outcome text, reason text, claim_id uuid, invoice_id uuid, expected_cents bigint, is_claim_named boolean,
  ignored_reason text, payment_id uuid`;
const INSERTED_COLUMNS = `tenant_id uuid, id uuid, remittance_id uuid, position integer, po_number text, invoice_number text,
  amount_cents bigint, note text, ${CHANGED_COLUMNS}`;

export async function insertLines(tx: Transaction, rows: readonly LineRow[]): Promise<void> {
  const names = parseColumnNames(INSERTED_COLUMNS).join(', ');
  await tx.query({
    name: 'insert-remittance-lines',
    text: `insert into remittance_lines (${names}) select ${names} from ${recordsetSql(INSERTED_COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

/** Reads the lines of a remittance in their sequence. The caller has locked the remittance. */
export async function readLines(tx: Transaction, { tenant_id, id }: RecordRef): Promise<LineRow[]> {
  const rows = await tx.query<{ record: LineRow }>({
    name: 'read-remittance-lines',
    text: `select to_jsonb(t) as record from remittance_lines t where t.tenant_id = $1 and t.remittance_id = $2 order by t.position`,
    values: [tenant_id, id],
  });
  return rows.map(({ record }) => record);
}

/** Deletes the lines of a remittance. The caller has locked the remittance. */
export async function deleteLines(tx: Transaction, { tenant_id, id }: RecordRef): Promise<void> {
  await tx.query({
    name: 'delete-remittance-lines',
    text: 'delete from remittance_lines t where t.tenant_id = $1 and t.remittance_id = $2',
    values: [tenant_id, id],
  });
}

/** Stores the lines that differ from `before`. */
export async function storeLines(
  tx: Transaction,
  rows: readonly LineRow[],
  before: readonly LineRow[],
): Promise<void> {
  const stored = new Map(before.map((row) => [row.id, row]));
  const names = parseColumnNames(CHANGED_COLUMNS);
  const changed = rows.filter((row) => names.some((name) => row[name] !== stored.get(row.id)?.[name]));
  if (changed.length === 0) return;
  await tx.query({
    name: 'store-remittance-lines',
    text: `update remittance_lines t set ${names.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${CHANGED_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(changed)],
  });
}

/** The columns of a new line that a client does not set. */
export const NEW_LINE = {
  status: 'open',
  is_claim_named: false,
  claim_id: null,
  ignored_reason: null,
  payment_id: null,
} as const;
