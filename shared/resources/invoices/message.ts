/** The members of an invoice's JSON that a message shows. */
export interface InvoiceJson {
  invoice_number: string;
  po_number: string | null;
  vehicle_description: string | null;
  due_date: string | null;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  balance_due_cents: number;
  line_items: {
    name: string;
    quantity: number;
    unit_type: string;
    unit_price_cents: number;
    total_cents: number;
  }[];
}

interface Message {
  subject: string | null;
  body_text: string;
  body_html: string | null;
}

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

function dollars(cents: number): string {
  return money.format(cents / 100);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The facts above the lines, as label and value. */
function facts(invoice: InvoiceJson): [string, string][] {
  const rows: [string, string | null][] = [
    ['Invoice', invoice.invoice_number],
    ['PO', invoice.po_number],
    ['Vehicle', invoice.vehicle_description],
    ['Due', invoice.due_date?.slice(0, 10) ?? null],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

function sums(invoice: InvoiceJson): [string, string][] {
  return [
    ['Subtotal', dollars(invoice.subtotal_cents)],
    ['Tax', dollars(invoice.tax_cents)],
    ['Total', dollars(invoice.total_cents)],
    ['Balance due', dollars(invoice.balance_due_cents)],
  ];
}

/** The invoice as a mail: plain text, and the same as HTML without pictures or scripts. */
export function writeEmail(sender: string, invoice: InvoiceJson): Message {
  const lines = invoice.line_items.map(
    (line) =>
      [
        line.name,
        `${line.quantity} ${line.unit_type} × ${dollars(line.unit_price_cents)}`,
        dollars(line.total_cents),
      ] as const,
  );
  const text = [
    `Invoice ${invoice.invoice_number} from ${sender}`,
    '',
    ...facts(invoice).map(([label, value]) => `${label}: ${value}`),
    '',
    ...lines.map((cells) => cells.join('   ')),
    '',
    ...sums(invoice).map(([label, value]) => `${label}: ${value}`),
  ];
  const row = (cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`;
  const html = [
    `<!doctype html><html lang="en"><body style="font-family:sans-serif"><h1>Invoice ${escapeHtml(invoice.invoice_number)}</h1>`,
    `<p>${escapeHtml(sender)}</p><table>${facts(invoice).map(row).join('')}</table>`,
    `<table>${lines.map(row).join('')}</table><table>${sums(invoice).map(row).join('')}</table></body></html>`,
  ];
  return {
    subject: `Invoice ${invoice.invoice_number} from ${sender}`,
    body_text: text.join('\n'),
    body_html: html.join(''),
  };
}

/** The invoice as one text message. */
export function writeText(sender: string, invoice: InvoiceJson): Message {
  const due = invoice.due_date ? `, due ${invoice.due_date.slice(0, 10)}` : '';
  return {
    subject: null,
    body_text: `${sender}: invoice ${invoice.invoice_number}, ${dollars(invoice.balance_due_cents)}${due}.`,
    body_html: null,
  };
}
