import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { InvoiceDocument } from '../../../shared/documents/document.js';
import {
  PDF_DRAWER_DEFAULTS,
  PdfDrawer,
  type PdfDrawerOptions,
} from '../../../shared/documents/pdf/pdf-drawer.js';
import type { DrawRequest } from '../../../shared/documents/pdf/pdf-process.js';
import { buildBundledCommand } from '../../support/bundles/bundle-programs.js';

const [, path = ''] = buildBundledCommand('test/support/records/misbehaving-pdf-process.ts');
const entry = pathToFileURL(path);
/**
 * Builds a request whose title selects the behavior of
 * test/support/records/misbehaving-pdf-process.ts.
 */
const request = (title: string) => ({ document: { title }, logo: undefined }) as unknown as DrawRequest;

describe('process that draws PDFs', () => {
  let drawer: PdfDrawer;
  /** The processes that were started. */
  let started: ChildProcess[];
  const recordProcess = (message: unknown) => started.push((message as { process: ChildProcess }).process);
  const hasEnded = (nth: number) => started[nth]?.exitCode !== null || started[nth]?.signalCode !== null;

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
    started = [];
    subscribe('child_process', recordProcess);
  });
  afterEach(async () => {
    unsubscribe('child_process', recordProcess);
    await drawer.close();
  });

  it('a drawing has 20 s and 256 MB, and an idle process ends after a minute', () => {
    expect(PDF_DRAWER_DEFAULTS).to.include({ deadlineMs: 20_000, maxHeapMb: 256, idleMs: 60_000 });
    open();
  });

  it('one process serves several drawings', async () => {
    open();
    expect(await drawText('first')).to.equal(await drawText('second'));
    expect(started).to.have.length(1);
  });

  it('the process knows no secret of the environment', async () => {
    open();
    const variables = JSON.parse(await drawText('names the variables of its environment'));
    expect(variables).to.not.include.members(['DATABASE_URL', 'SECRET_KEY', 'PATH']);
  });

  it('the process ends at the deadline of a drawing, even in an endless loop', async () => {
    open({ deadlineMs: 1000 });
    const failure = await catchFailure('hangs');
    expect(failure?.message).to.equal('the PDF was not drawn within 1000 ms');
    expect(hasEnded(0), 'the process has ended').to.equal(true);
  });

  it('the process ends at its heap limit, and the next drawing has another one', async () => {
    open({ maxHeapMb: 32 });
    const failure = await catchFailure('takes all memory');
    expect(failure?.message).to.equal('the process that draws PDFs ended with SIGABRT');
    expect(await drawText('next')).to.match(/^process \d+$/);
    expect(started).to.have.length(2);
  });

  it('a process that reports a full heap is replaced', async () => {
    open();
    const first = await drawText('fills up');
    expect(hasEnded(0), 'the process has ended').to.equal(true);
    expect(await drawText('next')).to.not.equal(first);
  });

  it('a drawing that runs out of heap because of earlier drawings is repeated in a new process', async () => {
    open({ maxHeapMb: 32 });
    const first = await drawText('fits only into a new process');
    expect(await drawText('fits only into a new process')).to.not.equal(first);
    expect(started).to.have.length(2);
  });

  it('a process that cannot draw a document, or exits, fails only that drawing', async () => {
    open();
    expect((await catchFailure('fails'))?.message).to.equal('the PDF could not be drawn: no such font');
    expect((await catchFailure('exits'))?.message).to.equal('the process that draws PDFs ended with 0');
    expect(await drawText('next')).to.match(/^process \d+$/);
    expect(started).to.have.length(3);
  });

  it('a program that cannot be started fails the drawing', async () => {
    open({ entry: new URL('missing.js', entry) });
    expect((await catchFailure('first'))?.message).to.equal('the process that draws PDFs ended with 1');
  });

  it('an idle process that is killed is replaced', async () => {
    open();
    const first = await drawText('first');
    started[0]?.kill('SIGKILL');
    await once(started[0] as ChildProcess, 'exit');
    expect(await drawText('next')).to.not.equal(first);
  });

  it('an idle process ends, and the next drawing starts another', async () => {
    open({ idleMs: 1 });
    const first = await drawText('first');
    if (!hasEnded(0)) await once(started[0] as ChildProcess, 'exit');
    expect(await drawText('second')).to.not.equal(first);
  });
});

describe('real process that draws PDFs', () => {
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

  it('the process ends with its parent process, and ignores the signals of a terminal', async () => {
    const started: ChildProcess[] = [];
    const recordProcess = (message: unknown) => started.push((message as { process: ChildProcess }).process);
    subscribe('child_process', recordProcess);
    const drawer = new PdfDrawer();
    try {
      await drawer.draw(invoiceWithOwnLetters(0));
      for (const signal of ['SIGINT', 'SIGTERM'] as const) started[0]?.kill(signal);
      await drawer.draw(invoiceWithOwnLetters(0));
      expect(started).to.have.length(1);
      // The channel closes too if the parent process is killed.
      started[0]?.disconnect();
      const [code] = await once(started[0] as ChildProcess, 'exit');
      expect(code).to.equal(0);
    } finally {
      unsubscribe('child_process', recordProcess);
      await drawer.close();
    }
  });
});
