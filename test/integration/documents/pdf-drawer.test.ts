import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import type { InvoiceDocument } from '../../../shared/documents/document.js';
import {
  PDF_DRAWER_DEFAULTS,
  PdfDrawer,
  type PdfDrawerOptions,
} from '../../../shared/documents/pdf/pdf-drawer.js';
import type { DrawRequest } from '../../../shared/documents/pdf/pdf-thread.js';

const entry = new URL('../../support/records/misbehaving-pdf-thread.ts', import.meta.url);
/**
 * Builds a request whose title selects the behavior of
 * test/support/records/misbehaving-pdf-thread.ts.
 */
const request = (title: string) => ({ document: { title }, logo: undefined }) as unknown as DrawRequest;

describe('PDF drawing thread', () => {
  let drawer: PdfDrawer;
  let threads: Worker[];
  const recordThread = (thread: Worker) => threads.push(thread);

  const open = (options: Partial<PdfDrawerOptions> = {}) => {
    drawer = new PdfDrawer({ entry, ...options });
  };
  const drawText = async (title: string) => (await drawer.draw(request(title))).toString();
  const catchFailure = (title: string) =>
    drawer.draw(request(title)).then(
      () => undefined,
      (error: Error) => error,
    );

  beforeEach(() => {
    threads = [];
    process.on('worker', recordThread);
  });
  afterEach(async () => {
    process.off('worker', recordThread);
    await drawer.close();
  });

  it('a drawing has 20 s and 256 MB, and an idle thread ends after a minute', () => {
    expect(PDF_DRAWER_DEFAULTS).to.include({ deadlineMs: 20_000, maxHeapMb: 256, idleMs: 60_000 });
    open();
  });

  it('one thread serves several drawings', async () => {
    open();
    expect(await drawText('first')).to.equal(await drawText('second'));
    expect(threads).to.have.length(1);
  });

  it('the thread ends at the deadline of a drawing, even in an endless loop', async () => {
    open({ deadlineMs: 1000 });
    const failure = await catchFailure('hangs');
    expect(failure?.message).to.equal('the PDF was not drawn within 1000 ms');
    expect(threads[0]?.threadId, 'the thread has ended').to.equal(-1);
  });

  it('the thread ends at its heap limit, and the process and the next drawing continue', async () => {
    open({ maxHeapMb: 32 });
    const failure = await catchFailure('takes all memory');
    expect((failure as NodeJS.ErrnoException).code).to.equal('ERR_WORKER_OUT_OF_MEMORY');
    expect(await drawText('next')).to.match(/^thread \d+$/);
    expect(threads).to.have.length(2);
  });

  it('a thread that reports a full heap is replaced', async () => {
    open();
    const first = await drawText('fills up');
    expect(threads[0]?.threadId, 'the thread has ended').to.equal(-1);
    expect(await drawText('next')).to.not.equal(first);
  });

  it('a drawing that runs out of heap because of earlier drawings is repeated in a new thread', async () => {
    open({ maxHeapMb: 32 });
    const first = await drawText('fits only into a new thread');
    expect(await drawText('fits only into a new thread')).to.not.equal(first);
    expect(threads).to.have.length(2);
  });

  it('a thread that cannot draw a document, or exits, fails only that drawing', async () => {
    open();
    expect((await catchFailure('fails'))?.message).to.equal('the PDF could not be drawn: no such font');
    expect((await catchFailure('exits'))?.message).to.equal('the thread that draws PDFs has ended');
    expect(await drawText('next')).to.match(/^thread \d+$/);
    expect(threads).to.have.length(3);
  });

  it('an idle thread ends, and the next drawing starts another', async () => {
    open({ idleMs: 1 });
    const ended = new Promise<void>((resolve) => {
      process.once('worker', (thread: Worker) => void once(thread, 'exit').then(() => resolve()));
    });
    const first = await drawText('first');
    await ended;
    expect(await drawText('second')).to.not.equal(first);
  });
});

describe('fonts of the PDF drawing thread', () => {
  const LETTERS_EACH = 2000;
  /** Builds an invoice with Chinese letters that no other invoice has. */
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
      wording: { mail_subject: null, mail_text: null, sms_text: null },
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

  it('fonts cache the letters of earlier invoices but leave enough heap for the next', async function () {
    this.timeout(60_000);
    const drawer = new PdfDrawer({ maxHeapMb: 64 });
    try {
      // The letters of one invoice need 23 MB, so the letters of three exceed the heap of 64 MB.
      for (let nth = 0; nth < 3; nth += 1) {
        const pdf = await drawer.draw(invoiceWithOwnLetters(nth));
        expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
      }
    } finally {
      await drawer.close();
    }
  });
});
