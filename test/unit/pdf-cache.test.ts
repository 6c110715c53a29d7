import { expect } from 'chai';
import { PdfCache } from '../../shared/resources/invoices/pdf/pdf-cache.js';

const pdf = (bytes: number) => Buffer.alloc(bytes);

describe('the cache of PDFs', () => {
  it("keeps a tenant within its bytes by dropping that tenant's least recently used", () => {
    const cache = new PdfCache({ maxBytes: 1000, maxBytesPerTenant: 100 });
    cache.set('other', 'x', pdf(90));
    cache.set('a', '1', pdf(40));
    cache.set('a', '2', pdf(40));
    cache.get('a', '1');
    cache.set('a', '3', pdf(40));
    expect([cache.get('a', '1'), cache.get('a', '2'), cache.get('a', '3')].map(Boolean)).to.deep.equal([
      true,
      false,
      true,
    ]);
    expect(cache.bytes('a')).to.equal(80);
    expect(cache.get('other', 'x')).to.have.length(90);
  });

  it('keeps the process within its bytes, and the counts of tenants with it', () => {
    const cache = new PdfCache({ maxBytes: 200, maxBytesPerTenant: 100 });
    for (const tenantId of ['a', 'b', 'c']) cache.set(tenantId, '1', pdf(90));
    expect(cache.bytes()).to.equal(180);
    expect(cache.bytes('a'), 'the least recently used').to.equal(0);
    cache.set('b', '1', pdf(90));
    expect(cache.bytes('b'), 'the same again').to.equal(90);
  });

  it('keeps no PDF that is larger than a tenant may keep', () => {
    const cache = new PdfCache({ maxBytes: 200, maxBytesPerTenant: 100 });
    cache.set('a', '1', pdf(101));
    expect(cache.get('a', '1')).to.equal(undefined);
  });
});
