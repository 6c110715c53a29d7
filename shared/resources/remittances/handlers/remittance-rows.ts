import type { Row, Transaction } from '../../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql, refKey } from '../../../records/record-refs.js';
import { type Candidates, findCandidates } from '../../remittance-lines/candidates.js';
import { PAYING_OUTCOMES } from '../../remittance-lines/enums.js';
import type { LineRow } from '../../remittance-lines/line-rows.js';
import { matchLines, sumCents } from '../../remittance-lines/match.js';

export interface RemittanceRow extends Row, RecordRef {
  payer: string;
  reference: string;
  /** YYYY-MM-DD */
  paid_on: string;
  customer_id: string | null;
  status: 'matched' | 'partly_applied' | 'applied';
  total_cents: number;
  lines_cents: number;
  applied_cents: number;
  line_count: number;
  ready_count: number;
  open_count: number;
  applied_count: number;
  ignored_count: number;
  deleted_at: string | null;
}

export const SUM_COLUMNS = `status text, lines_cents bigint, applied_cents bigint, line_count integer, ready_count integer, open_count integer,
  applied_count integer, ignored_count integer`;

/**
 * Locks a remittance that is not deleted. Commands lock it before its lines and its claims; a PATCH
 * with If-Match locks its line first. If both meet, PostgreSQL ends one, and it runs again.
 */
export async function lockRemittance(tx: Transaction, ref: RecordRef): Promise<RemittanceRow | undefined> {
  const row = (await lockRecords<RemittanceRow>(tx, 'remittances', [ref])).get(refKey(ref));
  return row?.deleted_at === null ? row : undefined;
}

/** Returns what follows from the lines of a remittance. */
export function sumLines(lines: readonly LineRow[]) {
  const listWith = (status: LineRow['status']) => lines.filter((line) => line.status === status);
  const [open, applied] = [listWith('open'), listWith('applied')];
  const isDone = open.length === 0;
  return {
    status: isDone
      ? ('applied' as const)
      : applied.length > 0
        ? ('partly_applied' as const)
        : ('matched' as const),
    lines_cents: sumCents(lines),
    applied_cents: sumCents(applied),
    line_count: lines.length,
    ready_count: open.filter(({ outcome }) => PAYING_OUTCOMES.includes(outcome)).length,
    open_count: open.length,
    applied_count: applied.length,
    ignored_count: listWith('ignored').length,
  };
}

export async function storeSums(tx: Transaction, row: RecordRef, lines: readonly LineRow[]): Promise<void> {
  const names = parseColumnNames(SUM_COLUMNS);
  await tx.query({
    name: 'store-remittance-sums',
    text: `update remittances t set ${names.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${SUM_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify([{ tenant_id: row.tenant_id, id: row.id, ...sumLines(lines) }])],
  });
}

/** Compares the open lines with the claims as they are now. Other lines keep their outcome. */
export async function rematch(
  tx: Transaction,
  { tenant_id, customer_id }: Pick<RemittanceRow, 'tenant_id' | 'customer_id'>,
  lines: readonly LineRow[],
): Promise<LineRow[]> {
  const open = lines.filter(({ status }) => status === 'open');
  const candidates = await readCandidatesOf(tx, tenant_id, open);
  const matched = matchLines(open, candidates, customer_id);
  return lines.map((line) => ({ ...line, ...matched.get(line.id) }));
}

function readCandidatesOf(tx: Transaction, tenantId: string, lines: readonly LineRow[]): Promise<Candidates> {
  const listOnce = (values: (string | null)[]) => [...new Set(values.filter((value) => value !== null))];
  return findCandidates(tx, tenantId, {
    pos: listOnce(lines.map(({ po_number }) => po_number)),
    numbers: listOnce(lines.map(({ invoice_number }) => invoice_number)),
    claimIds: listOnce(lines.map(({ is_claim_named, claim_id }) => (is_claim_named ? claim_id : null))),
  });
}
