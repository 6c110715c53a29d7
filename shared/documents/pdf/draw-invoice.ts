import PDFDocument from 'pdfkit';
import type { InvoiceDocument } from '../document.js';
import {
  BLACK,
  type PdfDocument,
  type TextBlock,
  type TextBox,
  type TextStyle,
  TextWriter,
} from './text-writer.js';

const MARGIN = 54;
/** Width of a Letter page between its margins, in points. */
const WIDTH = 504;
const GREY = '#555555';
const RED = '#a00000';
const GAP = 6;
/** Space for the page number below the text. */
const FOOTER_HEIGHT = 30;
const LOGO_BOX = { width: 180, height: 60 };
const HALF = { left: { x: MARGIN, width: 246 }, right: { x: MARGIN + 258, width: 246 } };
const LABEL_WIDTH = 76;

const COLUMNS: (TextBox & { title: string })[] = [
  { title: 'Service', x: MARGIN, width: 252 },
  { title: 'Quantity', x: MARGIN + 258, width: 84, align: 'right' },
  { title: 'Price', x: MARGIN + 348, width: 72, align: 'right' },
  { title: 'Amount', x: MARGIN + 426, width: 78, align: 'right' },
];

/**
 * Maximum text lines of all descriptions together, about 40 pages. Without this limit, 200 line
 * items with descriptions of 2,000 characters would fill 200 pages. The descriptions of up to 38
 * line items stay complete if they are Latin text without line breaks.
 */
const MAX_DESCRIPTION_LINES = 2400;

/**
 * Maximum text lines of the company's contact details, because an address may have 500 line breaks.
 */
const MAX_CONTACT_LINES = 20;

const BODY: TextStyle = { size: 10 };
const STRONG: TextStyle = { size: 10, isBold: true };
const NOTE: TextStyle = { size: 8, color: GREY };

export interface InvoiceLogo {
  data: Uint8Array;
  width: number;
  height: number;
}

/**
 * Draws an invoice as a PDF. Equal documents give equal bytes, because the PDF's creation date
 * comes from the invoice.
 */
export async function drawInvoice(document: InvoiceDocument, logo: InvoiceLogo | undefined): Promise<Buffer> {
  const { title, sender, updatedAt } = document;
  const pdf = new PDFDocument({
    size: 'LETTER',
    margin: MARGIN,
    bufferPages: true,
    info: { Title: `${title} from ${sender}`, Author: sender, CreationDate: updatedAt },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  new InvoiceDrawing(pdf, document).draw(logo);
  pdf.end();
  return done;
}

class InvoiceDrawing {
  private readonly text: TextWriter;
  private y = MARGIN;

  constructor(
    private readonly pdf: PdfDocument,
    private readonly document: InvoiceDocument,
  ) {
    this.text = new TextWriter(pdf);
  }

  draw(logo: InvoiceLogo | undefined): void {
    this.drawHead(logo);
    this.drawLineItems();
    this.drawSums();
    this.drawHowToPay();
    this.numberPages();
  }

  /** Draws the sender on the left, the facts on the right, and the bill-to address below. */
  private drawHead(logo: InvoiceLogo | undefined): void {
    const { sender, contact, title, mark, facts, billTo } = this.document;
    const top = this.y;
    if (logo) this.drawLogo(logo);
    this.write(sender, { size: 15, isBold: true }, HALF.left);
    if (contact.length > 0)
      this.write(contact.join('\n'), { size: 9, color: GREY }, HALF.left, MAX_CONTACT_LINES);
    const leftEnd = this.y;
    this.y = top;
    this.write(title, { size: 15, isBold: true }, HALF.right);
    this.y += GAP;
    if (mark) {
      this.write(mark, { size: 12, isBold: true, color: RED }, HALF.right);
      this.y += GAP;
    }
    for (const [label, value] of facts) this.writePair(label, value);
    this.y = Math.max(leftEnd, this.y) + 2 * GAP;
    if (billTo.length > 0) {
      this.write('Bill to', { size: 9, color: GREY }, HALF.left);
      this.writeAcrossPages(this.text.layOut(billTo.join('\n'), BODY, { x: MARGIN, width: WIDTH }), {
        repeatsHead: false,
      });
    }
    this.y += 18;
  }

  private drawLogo({ data, width, height }: InvoiceLogo): void {
    const scale = Math.min(LOGO_BOX.width / width, LOGO_BOX.height / height);
    this.pdf.image(Buffer.from(data), MARGIN, this.y, { width: width * scale, height: height * scale });
    this.y += height * scale + 2 * GAP;
  }

  private writePair(label: string, value: string): void {
    const { x, width } = HALF.right;
    const { y } = this;
    this.write(label, { ...BODY, color: GREY }, { x, width: LABEL_WIDTH });
    const labelEnd = this.y;
    this.y = y;
    this.write(value, BODY, { x: x + LABEL_WIDTH, width: width - LABEL_WIDTH });
    this.y = Math.max(this.y, labelEnd);
  }

  private drawLineItems(): void {
    const { lines } = this.document;
    this.drawTableHead();
    const maxLines = Math.max(1, Math.floor(MAX_DESCRIPTION_LINES / lines.length));
    for (const { name, description, quantity, price, total } of lines) {
      const cells = [name, quantity, price, total].map((cell, index) =>
        this.text.layOut(cell, BODY, COLUMNS[index] as TextBox),
      );
      const height = Math.max(...cells.map((cell) => cell.height));
      this.breakPageFor(height);
      for (const cell of cells) this.text.draw(cell, this.y);
      this.y += height;
      if (description)
        this.writeAcrossPages(this.text.layOut(description, NOTE, COLUMNS[0] as TextBox, maxLines));
      this.y += GAP;
    }
  }

  private drawTableHead(): void {
    const cells = COLUMNS.map((column) => this.text.layOut(column.title, STRONG, column));
    for (const cell of cells) this.text.draw(cell, this.y);
    this.y += (cells[0] as TextBlock).height + 2;
    this.drawRule(MARGIN, WIDTH);
    this.y += GAP;
  }

  private drawRule(x: number, width: number): void {
    this.pdf
      .moveTo(x, this.y)
      .lineTo(x + width, this.y)
      .lineWidth(1)
      .strokeColor(BLACK)
      .stroke();
  }

  private drawSums(): void {
    const { sums } = this.document;
    const rowHeight = 16;
    const labels: TextBox = { x: COLUMNS[1]?.x ?? MARGIN, width: 120 };
    const amounts: TextBox = { x: labels.x + 120, width: MARGIN + WIDTH - labels.x - 120, align: 'right' };
    this.breakPageFor(sums.length * rowHeight + GAP, { repeatsHead: false });
    this.y += GAP;
    for (const [index, [label, value]] of sums.entries()) {
      const isLast = index === sums.length - 1;
      if (isLast) this.drawRule(labels.x, labels.width + amounts.width);
      const style = isLast ? STRONG : BODY;
      this.text.draw(this.text.layOut(label, style, labels), this.y + 2);
      this.text.draw(this.text.layOut(value, style, amounts), this.y + 2);
      this.y += rowHeight;
    }
  }

  private drawHowToPay(): void {
    const { howToPay } = this.document;
    if (howToPay.length === 0) return;
    const box: TextBox = { x: MARGIN, width: WIDTH };
    const blocks = howToPay.map((paragraph) => this.text.layOut(paragraph, BODY, box));
    this.y += 18;
    this.breakPageFor(18 + (blocks[0]?.lineHeight ?? 0) * 3, { repeatsHead: false });
    this.write('How to pay', { size: 12, isBold: true }, box);
    this.y += 4;
    for (const block of blocks) {
      this.writeAcrossPages(block, { repeatsHead: false });
      this.y += 4;
    }
  }

  private numberPages(): void {
    const { start, count } = this.pdf.bufferedPageRange();
    const box: TextBox = { x: MARGIN, width: WIDTH, align: 'center' };
    for (let page = 0; page < count; page += 1) {
      this.pdf.switchToPage(start + page);
      // Remove the bottom margin. PDFKit would start a new page for text inside the margin.
      this.pdf.page.margins.bottom = 0;
      const label = `${this.document.title}, page ${page + 1} of ${count}`;
      this.text.draw(this.text.layOut(label, NOTE, box, 1), this.pdf.page.height - MARGIN);
    }
  }

  /** Writes a text at the current position. The text must fit on the current page. */
  private write(text: string, style: TextStyle, box: TextBox, maxLines?: number): void {
    const block = this.text.layOut(text, style, box, maxLines);
    this.text.draw(block, this.y);
    this.y += block.height;
  }

  private writeAcrossPages(block: TextBlock, options?: { repeatsHead: boolean }): void {
    for (const line of block.lines) {
      this.breakPageFor(block.lineHeight, options);
      this.text.drawLine(line, this.y, block);
      this.y += block.lineHeight;
    }
  }

  private breakPageFor(height: number, { repeatsHead } = { repeatsHead: true }): void {
    if (this.y + height <= this.pdf.page.height - MARGIN - FOOTER_HEIGHT) return;
    this.pdf.addPage();
    this.y = MARGIN;
    if (repeatsHead) this.drawTableHead();
  }
}
