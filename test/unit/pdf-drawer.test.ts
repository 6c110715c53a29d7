import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
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
