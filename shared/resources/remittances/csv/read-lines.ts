import type { RemittanceLineInput } from '../../../contracts/generated.js';
import { validate } from '../../../contracts/schemas/validate.js';
import { AppError, type ErrorDetail } from '../../../platform/errors.js';
import { remittanceLineInput } from '../../remittance-lines/schema.js';
import { MAX_REMITTANCE_LINES } from '../limits.js';
import { type CsvRow, parseCsv } from './parse-csv.js';

/** The spellings of each column, without case, spaces and signs. */
const COLUMNS = {
  po_number: ['po', 'pono', 'ponum', 'ponumber', 'purchaseorder', 'purchaseorderno', 'purchaseordernumber'],
  invoice_number: [
    'invoice',
    'invoiceno',
    'invoicenum',
    'invoicenumber',
    'inv',
    'invno',
    'invnum',
    'invnumber',
  ],
  amount_cents: [
    'amount',
    'amountpaid',
    'amountusd',
    'amt',
    'netamount',
    'netpaid',
    'paid',
    'paidamount',
    'payment',
    'paymentamount',
  ],
  note: ['note', 'notes', 'comment', 'comments', 'memo', 'reason', 'remark', 'remarks'],
} as const;
type Column = keyof typeof COLUMNS;

const NAMES: Readonly<Record<Column, string>> = {
  po_number: 'a PO',
  invoice_number: 'an invoice number',
  amount_cents: 'an amount',
  note: 'a note',
};

const MAX_FAULTS = 50;

/** The lines of a club's list, or all that is wrong with the list. */
export type CsvLines = { lines: RemittanceLineInput[] } | { faults: ErrorDetail[] };

/** Reads a club's list. Each fault names the line of the text, counted from 1. */
export function readCsvLines(csv: string): CsvLines {
  const rows = parseCsv(csv);
  if ('unclosedAt' in rows)
    return { faults: [fault(rows.unclosedAt, 'a quoted cell begins here and does not end')] };
  if ('followedAt' in rows)
    return { faults: [fault(rows.followedAt, 'more text follows the end of a quoted cell')] };
  const [header, ...body] = rows;
  const columns = header ? findColumns(header) : [fault(1, 'the columns are not named')];
  if (Array.isArray(columns)) return { faults: columns.slice(0, MAX_FAULTS) };
  if (body.length === 0) return { faults: [fault(1, 'no line follows the names of the columns')] };
  if (body.length > MAX_REMITTANCE_LINES) {
    const message = `a remittance has at most ${MAX_REMITTANCE_LINES} lines; split the list`;
    return { faults: [fault((body[MAX_REMITTANCE_LINES] as CsvRow).textLine, message)] };
  }
  const width = (header as CsvRow).cells.length;
  const read = body.map((row) => (isWider(row, width) ? refuseWide(row, width) : readRow(row, columns)));
  const faults = read.flatMap((one) => ('faults' in one ? one.faults : []));
  if (faults.length > 0) return { faults: faults.slice(0, MAX_FAULTS) };
  return { lines: read.flatMap((one) => ('line' in one ? [one.line] : [])) };
}

function fault(textLine: number, message: string): ErrorDetail {
  return { field: 'csv', code: 'invalid', message: `Line ${textLine} of csv: ${message}`, line: textLine };
}

const shorten = (cell: string) => cell.slice(0, 40);

function isWider({ cells }: CsvRow, width: number): boolean {
  return cells.slice(width).some((cell) => cell !== '');
}

/** An amount such as 1,234.50 without quotes is two cells, and the first one is another amount. */
function refuseWide({ cells, textLine }: CsvRow, width: number): { faults: ErrorDetail[] } {
  const message = `it has ${cells.length} cells, but ${width} columns are named; put a value with a separator in it into quotes`;
  return { faults: [fault(textLine, message)] };
}

type ColumnPlaces = Partial<Record<Column, number>>;

function findColumns({ cells, textLine }: CsvRow): ColumnPlaces | ErrorDetail[] {
  const places: ColumnPlaces = {};
  const faults: ErrorDetail[] = [];
  for (const [index, cell] of cells.entries()) {
    const spelling = cell.toLowerCase().replace(/[^a-z]/g, '');
    const column = (Object.keys(COLUMNS) as Column[]).find((name) =>
      (COLUMNS[name] as readonly string[]).includes(spelling),
    );
    if (!column) continue;
    const earlier = places[column];
    if (earlier === undefined) places[column] = index;
    else
      faults.push(
        fault(
          textLine,
          `both ${shorten(cells[earlier] ?? '')} and ${shorten(cell)} could be ${NAMES[column]}; rename the one that is not`,
        ),
      );
  }
  if (places.amount_cents === undefined)
    faults.push(fault(textLine, 'no column is an amount; name it Amount, or Amount Paid'));
  if (places.po_number === undefined && places.invoice_number === undefined)
    faults.push(fault(textLine, 'no column is a PO or an invoice number; name it PO, or Invoice'));
  return faults.length > 0 ? faults : places;
}

function readRow(
  { cells, textLine }: CsvRow,
  columns: ColumnPlaces,
): { line: RemittanceLineInput } | { faults: ErrorDetail[] } {
  const readCell = (column: Column) => {
    const place = columns[column];
    return place === undefined ? '' : (cells[place] ?? '');
  };
  const amount = readCell('amount_cents');
  const cents = parseDollars(amount);
  if (cents === undefined) {
    const shown = amount === '' ? 'the amount is empty' : `"${shorten(amount)}" is no amount in dollars`;
    return { faults: [fault(textLine, `${shown}; write it as 1,234.50`)] };
  }
  const line = {
    po_number: readCell('po_number') || null,
    invoice_number: readCell('invoice_number') || null,
    amount_cents: cents,
    note: readCell('note').replace(/\s+/g, ' ') || null,
  };
  try {
    return { line: validate<RemittanceLineInput>(remittanceLineInput, line) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details = error.toBody().details ?? [];
    return { faults: details.map(({ message }) => fault(textLine, message ?? 'the line is not valid')) };
  }
}

const DOLLARS = /^(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d{1,2}))?$/;

/** Parses `$1,234.50`, `-5` or `(5.00)` to cents; undefined if it is no amount. */
export function parseDollars(text: string): number | undefined {
  const bare = text.replace(/\s|USD|\$/gi, '');
  const inParentheses = /^\((.*)\)$/.exec(bare)?.[1];
  const isNegative = inParentheses !== undefined || bare.startsWith('-');
  const match = DOLLARS.exec(inParentheses ?? bare.replace(/^-/, ''));
  if (!match || (match[1] === undefined && match[2] === undefined)) return undefined;
  const cents = Number((match[1] ?? '0').replaceAll(',', '')) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  return isNegative && cents !== 0 ? -cents : cents;
}
