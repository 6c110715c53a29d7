import { LRUCache } from 'lru-cache';

interface PdfCacheOptions {
  maxBytes: number;
  maxBytesPerTenant: number;
}

/**
 * Caches PDFs up to a maximum number of bytes, both for the process and for each tenant. Evicts the
 * least recently used PDFs first.
 */
export class PdfCache {
  private readonly pdfs: LRUCache<string, Buffer>;
  private readonly bytesOf = new Map<string, number>();

  constructor(private readonly options: PdfCacheOptions) {
    this.pdfs = new LRUCache({
      maxSize: options.maxBytes,
      sizeCalculation: (pdf) => pdf.length,
      dispose: (pdf, key) => this.count(tenantOf(key), -pdf.length),
    });
  }

  get(tenantId: string, version: string): Buffer | undefined {
    return this.pdfs.get(keyOf(tenantId, version));
  }

  set(tenantId: string, version: string, pdf: Buffer): void {
    const { maxBytes, maxBytesPerTenant } = this.options;
    if (pdf.length > Math.min(maxBytes, maxBytesPerTenant)) return;
    this.pdfs.delete(keyOf(tenantId, version));
    for (const key of [...this.pdfs.rkeys()]) {
      if (this.cachedBytes(tenantId) + pdf.length <= maxBytesPerTenant) break;
      if (tenantOf(key) === tenantId) this.pdfs.delete(key);
    }
    this.count(tenantId, pdf.length);
    this.pdfs.set(keyOf(tenantId, version), pdf);
  }

  /** Returns the number of cached bytes: of a tenant or, without `tenantId`, of all tenants. */
  cachedBytes(tenantId?: string): number {
    return tenantId === undefined ? this.pdfs.calculatedSize : (this.bytesOf.get(tenantId) ?? 0);
  }

  private count(tenantId: string, change: number): void {
    const bytes = this.cachedBytes(tenantId) + change;
    if (bytes === 0) this.bytesOf.delete(tenantId);
    else this.bytesOf.set(tenantId, bytes);
  }
}

function keyOf(tenantId: string, version: string): string {
  return `${tenantId}/${version}`;
}

function tenantOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
