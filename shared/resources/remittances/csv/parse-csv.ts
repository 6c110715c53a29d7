/** A row of a CSV text, with the number of the text line on which it begins. */
export interface CsvRow {
  textLine: number;
  cells: string[];
}

/**
 * A quoted cell that does not end, or that more text follows, with the number of its text line.
 */
export type QuoteFault = { unclosedAt: number } | { followedAt: number };

const SEPARATORS = [',', ';', '\t'] as const;

/**
 * Parses CSV (RFC 4180). The separator is the one that the first line has most: comma, semicolon or
 * tab. Leaves out rows without any text. Runs once over the text, whatever it contains.
 */
export function parseCsv(text: string): CsvRow[] | QuoteFault {
  const separator = chooseSeparator(text);
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let textLine = 1;
  let rowStart = 1;
  let at = 0;
  const endRow = () => {
    if (cells.some((cell) => cell !== '')) rows.push({ textLine: rowStart, cells });
    cells = [];
    rowStart = textLine;
  };
  while (at < text.length) {
    const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at, separator);
    if (cell === undefined) return { unclosedAt: textLine };
    cells.push(cell.value.trim());
    textLine += countNewlines(cell.value);
    at = findCellEnd(text, cell.end, separator);
    if (text.slice(cell.end, at).trim() !== '') return { followedAt: textLine };
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) cells.push('');
      continue;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    textLine += 1;
    endRow();
  }
  endRow();
  return rows;
}

function chooseSeparator(text: string): string {
  const [first = ''] = text.split(/\r?\n|\r/, 1);
  const counts = SEPARATORS.map((separator) => first.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] as string;
}

interface Cell {
  value: string;
  end: number;
}

function readQuoted(text: string, start: number): Cell | undefined {
  let value = '';
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return undefined;
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}

function readPlain(text: string, start: number, separator: string): Cell {
  const end = findCellEnd(text, start, separator);
  return { value: text.slice(start, end), end };
}

function findCellEnd(text: string, start: number, separator: string): number {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return end;
}

const countNewlines = (value: string) => value.split(/\r\n|\n|\r/).length - 1;
