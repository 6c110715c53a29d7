import type PDFKit from 'pdfkit';
import type { InvoiceDocument } from './document.js';
import { toLatinText } from './latin-text.js';

const MARGIN = 54;
const GREY = '#555555';
const BLACK = '#111111';
const COLUMNS = [
  { title: 'Service', width: 264, align: 'left' },
  { title: 'Quantity', width: 84, align: 'right' },
  { title: 'Price', width: 78, align: 'right' },
  { title: 'Amount', width: 78, align: 'right' },
] as const;
const WIDTH = COLUMNS.reduce((sum, { width }) => sum + width, 0);
const GAP = 6;
/** Rows written without a pause. */
const ROWS_PER_TURN = 2;
/** A longer word is broken here: PDFKit would measure it letter by letter, for seconds. */
const LONGEST_WORD = 40;
/** Room below the lines for the page's number. */
const FOOT = 30;

const LONG_WORDS = new RegExp(`\\S{${LONGEST_WORD}}(?=\\S)`, 'g');

type Pdf = InstanceType<typeof PDFKit>;

/**
 * The invoice as a PDF, with the standard fonts. The same invoice gives the same bytes: its dates are the invoice's own. PDFKit is loaded with the first
 * one, so that a process that makes none does not pay for it.
 */
export async function renderPdf(document: InvoiceDocument): Promise<Buffer> {
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    info: {
      Title: toLatinText(`${document.title} from ${document.sender}`),
      Author: toLatinText(document.sender),
      CreationDate: document.updatedAt,
    },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  writeHead(pdf, document);
  await writeLines(pdf, document);
  writeSums(pdf, document);
  numberPages(pdf, document);
  pdf.end();
  return done;
}

function writeHead(pdf: Pdf, { sender, title, mark, facts, billTo }: InvoiceDocument): void {
  pdf.font('Helvetica-Bold').fontSize(18).fillColor(BLACK).text(toLatinText(sender), { width: WIDTH });
  pdf.font('Helvetica').fontSize(13).fillColor(GREY).text(toLatinText(title), { width: WIDTH });
  if (mark)
    pdf.moveDown(0.5).font('Helvetica-Bold').fontSize(12).fillColor('#a00000').text(toLatinText(mark));
  pdf.moveDown();
  const top = pdf.y;
  writePairs(pdf, facts, { x: MARGIN, width: WIDTH / 2 });
  const left = pdf.y;
  pdf.y = top;
  if (billTo.length > 0) {
    const x = MARGIN + WIDTH / 2 + GAP;
    pdf.font('Helvetica-Bold').fontSize(10).fillColor(BLACK).text('Bill to', x, top);
    pdf.font('Helvetica').text(toLatinText(billTo.join('\n')), x, pdf.y, { width: WIDTH / 2 - GAP });
  }
  pdf.y = Math.max(left, pdf.y) + 18;
}

function writePairs(
  pdf: Pdf,
  pairs: readonly [string, string][],
  { x, width }: { x: number; width: number },
): void {
  const labelWidth = 80;
  pdf.fontSize(10);
  for (const [label, value] of pairs) {
    const { y } = pdf;
    pdf.font('Helvetica').fillColor(GREY).text(label, x, y, { width: labelWidth });
    pdf.fillColor(BLACK).text(toLatinText(value), x + labelWidth, y, { width: width - labelWidth });
  }
}

/** The lines, under a head that every page repeats. */
async function writeLines(pdf: Pdf, { lines }: InvoiceDocument): Promise<void> {
  writeTableHead(pdf);
  for (const [index, { name, description, quantity, price, total }] of lines.entries()) {
    // A long invoice takes a second in all: whoever else this process serves gets a turn meanwhile.
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await new Promise((resolve) => setImmediate(resolve));
    const cells = [name, quantity, price, total].map(wrappable);
    const note = description ? wrappable(description.replace(/\r\n?|\n/g, ' / ')) : '';
    breakPageFor(pdf, rowHeight(pdf, cells, note), true);
    writeRow(pdf, cells, note);
  }
}

function wrappable(text: string): string {
  return toLatinText(text).replace(LONG_WORDS, '$& ');
}

function writeTableHead(pdf: Pdf): void {
  pdf.font('Helvetica-Bold').fontSize(10).fillColor(BLACK);
  writeCells(
    pdf,
    COLUMNS.map(({ title }) => title),
  );
  const y = pdf.y + 2;
  pdf
    .moveTo(MARGIN, y)
    .lineTo(MARGIN + WIDTH, y)
    .lineWidth(1)
    .strokeColor(BLACK)
    .stroke();
  pdf.y = y + GAP;
}

function writeRow(pdf: Pdf, cells: string[], note: string): void {
  pdf.font('Helvetica').fontSize(10).fillColor(BLACK);
  writeCells(pdf, cells);
  if (note)
    pdf
      .fontSize(8)
      .fillColor(GREY)
      .text(note, MARGIN, pdf.y, { width: COLUMNS[0].width - GAP });
  pdf.y += GAP;
}

/** Cells side by side; the cursor ends below the highest. */
function writeCells(pdf: Pdf, cells: readonly string[]): void {
  const { y } = pdf;
  let x = MARGIN;
  let bottom = y;
  for (const [index, { width, align }] of COLUMNS.entries()) {
    pdf.text(cells[index] ?? '', x, y, { width: width - GAP, align });
    bottom = Math.max(bottom, pdf.y);
    x += width;
  }
  pdf.y = bottom;
}

function rowHeight(pdf: Pdf, cells: string[], note: string): number {
  pdf.font('Helvetica').fontSize(10);
  const heights = COLUMNS.map(({ width }, index) =>
    pdf.heightOfString(cells[index] ?? '', { width: width - GAP }),
  );
  const noteHeight = note ? pdf.fontSize(8).heightOfString(note, { width: COLUMNS[0].width - GAP }) : 0;
  return Math.max(...heights) + noteHeight + GAP;
}

/** Starts a page when this no longer fits on the one that is open. */
function breakPageFor(pdf: Pdf, height: number, withHead: boolean): void {
  if (pdf.y + height <= pdf.page.height - MARGIN - FOOT) return;
  pdf.addPage();
  pdf.y = MARGIN;
  if (withHead) writeTableHead(pdf);
}

function writeSums(pdf: Pdf, { sums }: InvoiceDocument): void {
  const rowHeightPt = 16;
  breakPageFor(pdf, sums.length * rowHeightPt + GAP, false);
  const x = MARGIN + COLUMNS[0].width;
  pdf.y += GAP;
  for (const [index, [label, value]] of sums.entries()) {
    const { y } = pdf;
    pdf.font(index === sums.length - 1 ? 'Helvetica-Bold' : 'Helvetica').fontSize(10);
    pdf.fillColor(BLACK).text(label, x, y, { width: 120 });
    pdf.text(value, x + 120, y, { width: WIDTH - COLUMNS[0].width - 120 - GAP, align: 'right' });
    pdf.y = y + rowHeightPt;
  }
}

function numberPages(pdf: Pdf, { title }: InvoiceDocument): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(start + page);
    // Text below the margin would open a page of its own.
    pdf.page.margins.bottom = 0;
    pdf
      .font('Helvetica')
      .fontSize(8)
      .fillColor(GREY)
      .text(toLatinText(`${title}, page ${page + 1} of ${count}`), MARGIN, pdf.page.height - MARGIN, {
        width: WIDTH,
        align: 'center',
        lineBreak: false,
      });
  }
}
