import type { Command, Outcome } from '../../contracts/command.js';
import type { ProposedLine } from '../../contracts/generated.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres.js';
import type { AlsoAudited } from '../audit-also.js';
import { insertLines } from '../invoices/create-handler.js';
import { type InvoiceRow, lockInvoices } from '../invoices/lifecycle.js';
import { MAX_LINE_ITEMS, type PricedLine, priceInvoice } from '../invoices/money.js';
import { paidFault, totalFault } from '../invoices/total-faults.js';
import { failed, nextUpdatedAt, type RecordRef, recordset, refKey } from '../sets.js';
import type { SuggestionRow } from './store.js';

/** States in which lines may still be added (decisions 3). */
const LINES_OPEN: readonly string[] = ['draft', 'needs_review'];

interface Target {
  row: InvoiceRow;
  /** All lines, the stored ones first. */
  lines: PricedLine[];
  lastPosition: number;
  added: Parameters<typeof insertLines>[0];
  money: { subtotal_cents: number; tax_cents: number; total_cents: number };
}

/** Adds the lines of several suggestions to their invoices; several may be about the same one. */
export class LineAdder {
  /** One entry for each invoice and suggestion, as a PATCH of the invoice would have left. */
  readonly audits: AlsoAudited[] = [];

  private constructor(private readonly targets: Map<string, Target>) {}

  /** Locks the invoices that suggestions would change, and reads their lines. */
  static async lock(tx: Transaction, suggestions: readonly SuggestionRow[]): Promise<LineAdder> {
    const refs = suggestions.flatMap((one) =>
      one.invoice_id && one.proposed_lines.length > 0
        ? [{ tenant_id: one.tenant_id, id: one.invoice_id }]
        : [],
    );
    if (refs.length === 0) return new LineAdder(new Map());
    const invoices = await lockInvoices(tx, refs);
    const targets = new Map<string, Target>();
    for (const [key, row] of invoices) {
      const { subtotal_cents, tax_cents, total_cents } = row as InvoiceRow & Target['money'];
      const money = { subtotal_cents, tax_cents, total_cents };
      targets.set(key, { row, lines: [], lastPosition: 0, added: [], money });
    }
    for (const line of await readLines(tx, refs)) {
      const target = targets.get(refKey({ tenant_id: line.tenant_id, id: line.invoice_id }));
      target?.lines.push(line);
      if (target) target.lastPosition = line.position;
    }
    return new LineAdder(targets);
  }

  /** Adds the lines of one suggestion in memory; an outcome when that is not possible. */
  add(
    command: Command,
    { invoice_id: invoiceId, proposed_lines: proposed }: SuggestionRow,
  ): Outcome | undefined {
    if (!invoiceId || proposed.length === 0) return undefined;
    const target = this.targets.get(refKey({ tenant_id: command.tenantId, id: invoiceId }));
    if (!target) throw new Error(`invoice ${invoiceId} of a suggestion is gone`);
    const fault = lockFault(target, proposed);
    if (fault) return fault;
    const lines = [...target.lines, ...proposed];
    const price = priceInvoice(lines, target.row.tax_rate_bps);
    const tooMuch = totalFault(price.totalCents) ?? paidFault(target.row, price.totalCents);
    if (tooMuch) return tooMuch;
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

  private rowOf(target: Target, line: ProposedLine): Target['added'][number] {
    target.lastPosition += 1;
    const { tenant_id, id: invoice_id } = target.row;
    return { ...line, tenant_id, invoice_id, position: target.lastPosition, id: newId() };
  }

  async store(tx: Transaction): Promise<void> {
    const changed = [...this.targets.values()].filter(({ added }) => added.length > 0);
    if (changed.length === 0) return;
    const totals = changed.map(({ row, money }) => ({ tenant_id: row.tenant_id, id: row.id, ...money }));
    await Promise.all([
      tx.query(insertLines(changed.flatMap(({ added }) => added))),
      tx.query({
        name: 'reprice-invoices',
        text: `update invoices t set subtotal_cents = r.subtotal_cents, tax_cents = r.tax_cents, total_cents = r.total_cents,
                 updated_at = ${nextUpdatedAt('t')}
               from ${recordset('tenant_id uuid, id uuid, subtotal_cents bigint, tax_cents bigint, total_cents bigint')}
               where t.tenant_id = r.tenant_id and t.id = r.id`,
        values: [JSON.stringify(totals)],
      }),
    ]);
  }
}

function lockFault({ row, lines }: Target, proposed: readonly ProposedLine[]): Outcome | undefined {
  const isFull = lines.length + proposed.length > MAX_LINE_ITEMS;
  if (LINES_OPEN.includes(row.status) && !isFull) return undefined;
  const message = isFull
    ? `Invoice ${row.invoice_number} would have more than ${MAX_LINE_ITEMS} lines.`
    : `Lines can be added in ${LINES_OPEN.join(' and ')} only; invoice ${row.invoice_number} is ${row.status}. Take it back first.`;
  return failed({
    code: 'invoice_locked',
    message,
    details: [{ field: 'proposed_lines', code: 'locked', message }],
  });
}

type StoredLine = PricedLine & { tenant_id: string; invoice_id: string; position: number };

function readLines(tx: Transaction, refs: RecordRef[]): Promise<StoredLine[]> {
  const unique = [...new Map(refs.map((ref) => [refKey(ref), ref])).values()];
  return tx.query<StoredLine>({
    name: 'lines-to-reprice',
    text: `select l.tenant_id, l.invoice_id, l.position, l.quantity, l.unit_price_cents, l.taxable
           from ${recordset('tenant_id uuid, id uuid')}
           join invoice_line_items l on l.tenant_id = r.tenant_id and l.invoice_id = r.id
           order by l.tenant_id, l.invoice_id, l.position`,
    values: [JSON.stringify(unique)],
  });
}
