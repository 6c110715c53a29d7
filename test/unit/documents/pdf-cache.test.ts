import { expect } from 'chai';
import { PdfCache } from '../../../shared/documents/pdf/pdf-cache.js';

const pdf = (bytes: number) => Buffer.alloc(bytes);

describe('PDF cache', () => {
  it("the cache limits a tenant's bytes by evicting that tenant's least recently used PDF", () => {
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
    expect(cache.cachedBytes('a')).to.equal(80);
    expect(cache.get('other', 'x')).to.have.length(90);
  });

  it('the cache limits the bytes of the process and keeps the counts per tenant correct', () => {
    const cache = new PdfCache({ maxBytes: 200, maxBytesPerTenant: 100 });
    for (const tenantId of ['a', 'b', 'c']) cache.set(tenantId, '1', pdf(90));
    expect(cache.cachedBytes()).to.equal(180);
    expect(cache.cachedBytes('a'), 'the least recently used').to.equal(0);
    cache.set('b', '1', pdf(90));
    expect(cache.cachedBytes('b'), 'the same again').to.equal(90);
  });

  it("the cache does not store a PDF larger than a tenant's limit", () => {
    const cache = new PdfCache({ maxBytes: 200, maxBytesPerTenant: 100 });
    cache.set('a', '1', pdf(101));
    expect(cache.get('a', '1')).to.equal(undefined);
  });
});
