import { lineItemFields } from '../../../billing/line-item-fields.js';
import type { Command } from '../../../contracts/command.js';
import type { InvoiceCreate } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import { parseColumnNames, recordsetSql } from '../../../records/record-refs.js';

/** Returns the rows of a command's line items, with totals that the server has computed. */
export function buildLineItemRows(
  command: Command<{ line_items?: InvoiceCreate['line_items'] }>,
  lineTotals: number[],
) {
  return (command.input.line_items ?? []).map((line, index) => ({
    ...line,
    tenant_id: command.tenantId,
    invoice_id: command.entityId,
    position: index + 1,
    id: newId(),
    total_cents: lineTotals[index],
  }));
}

const LINE_COLUMNS = `tenant_id uuid, invoice_id uuid, position integer, id uuid, ${lineItemFields.settable}`;
const LINE_NAMES = parseColumnNames(LINE_COLUMNS);

/**
 * Builds the insert of line items. If an invoice was not inserted because its number was taken, the
 * join skips its line items.
 */
export function buildLineItemInsert(rows: ReturnType<typeof buildLineItemRows>) {
  return {
    name: 'insert-invoice-lines',
    text: `insert into invoice_line_items (${LINE_NAMES.join(', ')})
           select ${LINE_NAMES.map((name) => `r.${name}`).join(', ')} from ${recordsetSql(LINE_COLUMNS)}
           join invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id`,
    values: [JSON.stringify(rows)],
  };
}
