import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import type { InvoiceDocument } from '../../shared/resources/invoices/document.js';
import {
  PDF_DRAWER_DEFAULTS,
  PdfDrawer,
  type PdfDrawerOptions,
} from '../../shared/resources/invoices/pdf/pdf-drawer.js';
import type { DrawRequest } from '../../shared/resources/invoices/pdf/pdf-thread.js';

const entry = new URL('../support/stubborn-pdf-thread.ts', import.meta.url);
/** What a title makes the thread do: test/support/stubborn-pdf-thread.ts. */
const request = (title: string) => ({ document: { title }, logo: undefined }) as unknown as DrawRequest;

describe('the thread that draws PDFs', () => {
  let drawer: PdfDrawer;
  let threads: Worker[];
  const remember = (thread: Worker) => threads.push(thread);

  const open = (options: Partial<PdfDrawerOptions> = {}) => {
    drawer = new PdfDrawer({ entry, ...options });
  };
  const drawing = async (title: string) => (await drawer.draw(request(title))).toString();
  const failureOf = (title: string) =>
    drawer.draw(request(title)).then(
      () => undefined,
      (error: Error) => error,
    );

  beforeEach(() => {
    threads = [];
    process.on('worker', remember);
  });
  afterEach(async () => {
    process.off('worker', remember);
    await drawer.close();
  });

  it('has 20 s and 256 MB for a drawing, and a minute without one', () => {
    expect(PDF_DRAWER_DEFAULTS).to.include({ deadlineMs: 20_000, maxHeapMb: 256, idleMs: 60_000 });
    open();
  });

  it('serves one drawing after another', async () => {
    open();
    expect(await drawing('first')).to.equal(await drawing('second'));
    expect(threads).to.have.length(1);
  });

  it('ends at the deadline of a drawing, even in an endless loop', async () => {
    open({ deadlineMs: 1000 });
    const failure = await failureOf('hangs');
    expect(failure?.message).to.equal('the PDF was not drawn within 1000 ms');
    expect(threads[0]?.threadId, 'the thread has ended').to.equal(-1);
  });

  it('ends at its bound on heap, and the process and the next drawing go on', async () => {
    open({ maxHeapMb: 32 });
    const failure = await failureOf('takes all memory');
    expect((failure as NodeJS.ErrnoException).code).to.equal('ERR_WORKER_OUT_OF_MEMORY');
    expect(await drawing('next')).to.match(/^thread \d+$/);
    expect(threads).to.have.length(2);
  });

  it('is replaced when it says that it is full', async () => {
    open();
    const first = await drawing('fills up');
    expect(threads[0]?.threadId, 'the thread has ended').to.equal(-1);
    expect(await drawing('next')).to.not.equal(first);
  });

  it('draws again in a new thread what lacked the heap that earlier drawings had kept', async () => {
    open({ maxHeapMb: 32 });
    const first = await drawing('takes most of the heap');
    expect(await drawing('takes most of the heap')).to.not.equal(first);
    expect(threads).to.have.length(2);
  });

  it('that cannot draw a document, or exits, fails that drawing only', async () => {
    open();
    expect((await failureOf('fails'))?.message).to.equal('the PDF could not be drawn: no such font');
    expect((await failureOf('exits'))?.message).to.equal('the thread that draws PDFs has ended');
    expect(await drawing('next')).to.match(/^thread \d+$/);
    expect(threads).to.have.length(3);
  });

  it('ends when it is idle, and the next drawing starts another', async () => {
    open({ idleMs: 1 });
    const ended = new Promise<void>((resolve) => {
      process.once('worker', (thread: Worker) => void once(thread, 'exit').then(() => resolve()));
    });
    const first = await drawing('first');
    await ended;
    expect(await drawing('second')).to.not.equal(first);
  });
});

describe('the fonts of the thread that draws PDFs', () => {
  const LETTERS_EACH = 2000;
  /** An invoice with Chinese letters that no other one has. */
  const invoiceWithOwnLetters = (nth: number): DrawRequest => {
    const letters = Array.from({ length: LETTERS_EACH }, (_, letter) =>
      String.fromCodePoint(0x4e00 + nth * LETTERS_EACH + letter),
    );
    const document: InvoiceDocument = {
      number: `${nth}`,
      title: `Invoice ${nth}`,
      sender: 'Main Street Towing',
      contact: [],
      logo: null,
      mark: null,
      billTo: [letters.join('')],
      facts: [],
      lines: [{ name: 'Tow', description: null, quantity: '1', price: '$1.00', total: '$1.00' }],
      sums: [],
      balance: '$1.00',
      due: null,
      howToPay: [],
      updatedAt: new Date(0),
    };
    return { document, logo: undefined };
  };

  it('keep the letters of earlier invoices, yet leave enough heap for the next', async function () {
    this.timeout(60_000);
    const drawer = new PdfDrawer({ maxHeapMb: 64 });
    try {
      // Three times 23 MB of letters: more than the heap has.
      for (let nth = 0; nth < 3; nth += 1) {
        const pdf = await drawer.draw(invoiceWithOwnLetters(nth));
        expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
      }
    } finally {
      await drawer.close();
    }
  });
});
