import { expect } from 'chai';
import { TooManyWaitingError } from '../../shared/platform/fair-limit.js';
import type { Database } from '../../shared/platform/postgres.js';
import type { InvoiceDocument } from '../../shared/resources/invoices/document.js';
import { InvoicePdfs } from '../../shared/resources/invoices/pdf/invoice-pdfs.js';

describe('PDFs of several accounts at once', () => {
  /** Draws the document's title, after a turn of the event loop. */
  const scene = () => {
    const started: string[] = [];
    const drawer = {
      draw: async ({ document: { title } }: { document: InvoiceDocument }) => {
        started.push(title);
        await new Promise((resolve) => setImmediate(resolve));
        return Buffer.from(title);
      },
    };
    const pdfs = new InvoicePdfs({} as Database, drawer);
    const get = (title: string) =>
      pdfs
        .get({ tenantId: title.charAt(0), document: { title, logo: null } as InvoiceDocument })
        .then(String, (error: unknown) => error);
    return { get, started };
  };

  it('are drawn in turns: an account that asks once is next, however many another account asks for', async () => {
    const { get, started } = scene();
    const flood = Array.from({ length: 20 }, (_, nth) => get(`a${nth}`));
    const other = get('b0');
    const answers = await Promise.all(flood);
    expect(await other).to.equal('b0');
    expect(started).to.deep.equal(['a0', 'a1', 'b0', 'a2', 'a3', 'a4', 'a5']);
    expect(answers.slice(0, 6)).to.deep.equal(['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    for (const refusal of answers.slice(6)) expect(refusal).to.be.instanceOf(TooManyWaitingError);
  });

  it('are drawn once for all requests that ask for the same, and kept', async () => {
    const { get, started } = scene();
    expect(await Promise.all([get('a1'), get('a1'), get('a1')])).to.deep.equal(['a1', 'a1', 'a1']);
    expect(await get('a1')).to.equal('a1');
    expect(started).to.deep.equal(['a1']);
  });
});
