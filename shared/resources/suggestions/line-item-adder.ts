import { checkInvoiceTotal, checkTotalCoversPayments } from '../../billing/check-total.js';
import { MAX_LINE_ITEMS, type PricedLine, priceInvoice } from '../../billing/money.js';
import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { ProposedLine } from '../../contracts/generated.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import type { AuditedSideEffect } from '../audit-log/audit-side-effects.js';
import { type InvoiceRow, lockInvoices } from '../invoices/handlers/lifecycle.js';
import { buildLineItemInsert } from '../invoices/handlers/line-item-rows.js';
import { storeInvoiceTotals } from '../invoices/handlers/store-invoices.js';
import type { SuggestionRow } from './store.js';

/** Line items may be added to an invoice in these statuses (docs/decisions.md §3). */
const EDITABLE_STATUSES: readonly string[] = ['draft', 'needs_review'];

type TargetLine = PricedLine & { category: string | null };

interface TargetInvoice {
  row: InvoiceRow;
  /** The invoice's stored line items, followed by those that suggestions have added. */
  lines: TargetLine[];
  lastPosition: number;
  added: Parameters<typeof buildLineItemInsert>[0];
  money: { subtotal_cents: number; tax_cents: number; total_cents: number };
}

/**
 * Adds the line items of accepted suggestions to invoices. The class sums the changes per invoice
 * and stores them once, because several suggestions may belong to the same invoice.
 */
export class LineItemAdder {
  /**
   * One audit entry per accepted suggestion, equal to the entry that a PATCH of the invoice would
   * write.
   */
  readonly audits: AuditedSideEffect[] = [];

  private constructor(private readonly targets: Map<string, TargetInvoice>) {}

  static async lock(tx: Transaction, suggestions: readonly SuggestionRow[]): Promise<LineItemAdder> {
    const refs = suggestions.flatMap((one) =>
      one.invoice_id && one.proposed_lines.length > 0
        ? [{ tenant_id: one.tenant_id, id: one.invoice_id }]
        : [],
    );
    if (refs.length === 0) return new LineItemAdder(new Map());
    const invoices = await lockInvoices(tx, refs);
    const targets = new Map<string, TargetInvoice>();
    for (const [key, row] of invoices) {
      const { subtotal_cents, tax_cents, total_cents } = row as InvoiceRow & TargetInvoice['money'];
      const money = { subtotal_cents, tax_cents, total_cents };
      targets.set(key, { row, lines: [], lastPosition: 0, added: [], money });
    }
    for (const line of await readLines(tx, refs)) {
      const target = targets.get(refKey({ tenant_id: line.tenant_id, id: line.invoice_id }));
      target?.lines.push(line);
      if (target) target.lastPosition = line.position;
    }
    return new LineItemAdder(targets);
  }

  /**
   * Adds a suggestion's line items in memory; {@link store} writes them to the database. Returns an
   * error if the invoice cannot have these line items.
   */
  add(
    command: Command,
    { invoice_id: invoiceId, proposed_lines: proposed, invoice_subtotal_cents: computedFor }: SuggestionRow,
  ): CommandOutcome | undefined {
    if (!invoiceId || proposed.length === 0) return undefined;
    const target = this.targets.get(refKey({ tenant_id: command.tenantId, id: invoiceId }));
    if (!target) throw new Error(`invoice ${invoiceId} of a suggestion is gone`);
    const refusal = findLockError(target, proposed) ?? findChange(target, { proposed, computedFor });
    if (refusal) return refusal;
    const lines = [...target.lines, ...proposed];
    const price = priceInvoice(lines, target.row.tax_rate_bps);
    const totalError =
      checkInvoiceTotal(price.totalCents) ?? checkTotalCoversPayments(target.row, price.totalCents);
    if (totalError) return totalError;
    const before = target.money.total_cents;
    target.lines = lines;
    target.money = {
      subtotal_cents: price.subtotalCents,
      tax_cents: price.taxCents,
      total_cents: price.totalCents,
    };
    for (const line of proposed) target.added.push(this.rowOf(target, line));
    const changes = [
      { field: 'line_items', from: null, to: proposed },
      { field: 'total_cents', from: before, to: price.totalCents },
    ];
    this.audits.push({
      command,
      entityType: 'invoice',
      entityId: invoiceId,
      action: 'invoice.updated',
      changes,
    });
    return undefined;
  }

  private rowOf(target: TargetInvoice, line: ProposedLine): TargetInvoice['added'][number] {
    target.lastPosition += 1;
    const { tenant_id, id: invoice_id } = target.row;
    return { ...line, tenant_id, invoice_id, position: target.lastPosition, id: newId() };
  }

  async store(tx: Transaction): Promise<void> {
    const changed = [...this.targets.values()].filter(({ added }) => added.length > 0);
    if (changed.length === 0) return;
    const totals = changed.map(({ row, money }) => ({ tenant_id: row.tenant_id, id: row.id, ...money }));
    await Promise.all([
      tx.query(buildLineItemInsert(changed.flatMap(({ added }) => added))),
      storeInvoiceTotals(tx, totals),
    ]);
  }
}

function findLockError(
  { row, lines }: TargetInvoice,
  proposed: readonly ProposedLine[],
): CommandOutcome | undefined {
  const isFull = lines.length + proposed.length > MAX_LINE_ITEMS;
  if (EDITABLE_STATUSES.includes(row.status) && !isFull) return undefined;
  const message = isFull
    ? `Invoice ${row.invoice_number} would have more than ${MAX_LINE_ITEMS} line items.`
    : `Line items can be added in ${EDITABLE_STATUSES.join(' and ')} only; invoice ${row.invoice_number} is ${row.status}. Return it to draft or needs_review first.`;
  return failedOutcome({
    code: 'invoice_locked',
    message,
    details: [{ field: 'proposed_lines', code: 'locked', message }],
  });
}

/**
 * Line items that take off what is beyond a limit are wrong for any other subtotal. Detectors
 * propose other adjustments only for invoices without one, because it may have corrected the same.
 */
function findChange(
  { row, money, lines }: TargetInvoice,
  { proposed, computedFor }: { proposed: readonly ProposedLine[]; computedFor: number | null },
): CommandOutcome | undefined {
  const hasChanged =
    computedFor === null
      ? proposed.some(isAdjustment) && lines.some(isAdjustment)
      : computedFor !== money.subtotal_cents;
  if (!hasChanged) return undefined;
  return failedOutcome({
    code: 'conflict',
    message: `Invoice ${row.invoice_number} has changed since this was suggested. The next scan of the detectors, within a minute, updates the suggestion.`,
  });
}

const isAdjustment = ({ category }: TargetLine | ProposedLine) => category === 'adjustment';

type StoredLine = TargetLine & { tenant_id: string; invoice_id: string; position: number };

function readLines(tx: Transaction, refs: RecordRef[]): Promise<StoredLine[]> {
  const unique = [...new Map(refs.map((ref) => [refKey(ref), ref])).values()];
  return tx.query<StoredLine>({
    name: 'lines-to-reprice',
    text: `select l.tenant_id, l.invoice_id, l.position, l.quantity, l.unit_price_cents, l.taxable, l.category
           from ${recordsetSql('tenant_id uuid, id uuid')}
           join invoice_line_items l on l.tenant_id = r.tenant_id and l.invoice_id = r.id
           order by l.tenant_id, l.invoice_id, l.position`,
    values: [JSON.stringify(unique)],
  });
}
