import { expect } from 'chai';
import type { InvoiceDocument } from '../../../shared/documents/document.js';
import { InvoicePdfs } from '../../../shared/documents/pdf/invoice-pdfs.js';
import { TooManyWaitingError } from '../../../shared/platform/limits/fair-limit.js';
import type { Database } from '../../../shared/platform/postgres/database.js';

describe('concurrent PDFs of several accounts', () => {
  /**
   * Creates PDFs with a fake drawer, which returns the document's title after one event-loop tick.
   */
  const createScenario = () => {
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

  it('accounts share the drawer round-robin: a single PDF is next despite the queue of another account', async () => {
    const { get, started } = createScenario();
    const flood = Array.from({ length: 20 }, (_, nth) => get(`a${nth}`));
    const other = get('b0');
    const results = await Promise.all(flood);
    expect(await other).to.equal('b0');
    expect(started).to.deep.equal(['a0', 'a1', 'b0', 'a2', 'a3', 'a4', 'a5']);
    expect(results.slice(0, 6)).to.deep.equal(['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
    for (const refusal of results.slice(6)) expect(refusal).to.be.instanceOf(TooManyWaitingError);
  });

  it('concurrent requests for the same PDF share one drawing, which is cached', async () => {
    const { get, started } = createScenario();
    expect(await Promise.all([get('a1'), get('a1'), get('a1')])).to.deep.equal(['a1', 'a1', 'a1']);
    expect(await get('a1')).to.equal('a1');
    expect(started).to.deep.equal(['a1']);
  });
});
