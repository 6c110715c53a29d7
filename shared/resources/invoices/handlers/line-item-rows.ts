import { lineItemFields } from '../../../billing/line-item-fields.js';
import { calculateLineTotalCents } from '../../../billing/money.js';
import type { Command } from '../../../contracts/command.js';
import type { InvoiceCreate } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import { parseColumnNames, recordsetSql } from '../../../records/record-refs.js';

interface LineItemsInput {
  line_items?: InvoiceCreate['line_items'];
}

/**
 * Adds the totals that the client omitted. People then see the whole line item in an approval, and
 * its amount in the audit log.
 */
export function addLineTotals<Input extends LineItemsInput>(commands: Command<Input>[]): Command<Input>[] {
  return commands.map((command) => {
    const { line_items: lines = [] } = command.input;
    if (lines.every(({ total_cents: total }) => total !== undefined)) return command;
    const line_items = lines.map((line) => ({
      ...line,
      total_cents: line.total_cents ?? calculateLineTotalCents(line.quantity, line.unit_price_cents),
    }));
    return { ...command, input: { ...command.input, line_items } };
  });
}

/** Returns the rows of a command's line items, with totals that the server has computed. */
export function buildLineItemRows(command: Command<LineItemsInput>, lineTotals: number[]) {
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
