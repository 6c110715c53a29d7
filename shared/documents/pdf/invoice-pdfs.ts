import { createHash } from 'node:crypto';
import { createFairLimit } from '../../platform/limits/fair-limit.js';
import type { Database } from '../../platform/postgres/database.js';
import type { Runtime } from '../../platform/process/runtime.js';
import type { InvoiceDocument } from '../document.js';
import { readLogo } from '../logo-queries.js';
import type { InvoiceLogo } from './draw-invoice.js';
import { PdfCache } from './pdf-cache.js';
import { PdfDrawer } from './pdf-drawer.js';

/** One PDF at a time, because drawing uses a whole core. */
const FAIR_LIMIT = { queues: ['pdf'] as const, maxRunning: 1, maxQueued: 50, maxQueuedPerGroup: 5 };
const MIB = 1024 * 1024;
const CACHE = { maxBytes: 32 * MIB, maxBytesPerTenant: 4 * MIB };

export interface PdfRequest {
  tenantId: string;
  document: InvoiceDocument;
}

/**
 * Draws PDFs of invoices round-robin between accounts, and caches them. The cache key is a hash of
 * everything that the PDF shows. A change of the invoice, the customer, the account's settings or
 * the logo therefore gives a new key and a new PDF.
 */
export class InvoicePdfs {
  private readonly limit = createFairLimit(FAIR_LIMIT);
  private readonly cache = new PdfCache(CACHE);
  private readonly pendingDrawings = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly db: Database,
    private readonly drawer: Pick<PdfDrawer, 'draw'>,
  ) {}

  /**
   * Returns the PDF of an invoice, from the cache or newly drawn.
   * @throws {TooManyWaitingError} if too many PDFs of this tenant or of all tenants are waiting
   */
  async get({ tenantId, document }: PdfRequest): Promise<Buffer> {
    const version = createHash('sha256').update(JSON.stringify(document)).digest('base64url');
    const kept = this.cache.get(tenantId, version);
    if (kept) return kept;
    const key = `${tenantId}/${version}`;
    let drawing = this.pendingDrawings.get(key);
    if (!drawing) {
      drawing = this.limit
        .run({ queue: 'pdf', group: tenantId }, () => this.draw({ tenantId, document }, version))
        .finally(() => this.pendingDrawings.delete(key));
      this.pendingDrawings.set(key, drawing);
    }
    return drawing;
  }

  private async draw({ tenantId, document }: PdfRequest, version: string): Promise<Buffer> {
    const logo = document.logo ? await this.loadLogo(tenantId, document) : undefined;
    const pdf = await this.drawer.draw({ document, logo });
    // If the logo was replaced after the document was read, the PDF has no logo and must not be
    // cached.
    if (!document.logo || logo) this.cache.set(tenantId, version, pdf);
    return pdf;
  }

  private async loadLogo(tenantId: string, { logo }: InvoiceDocument): Promise<InvoiceLogo | undefined> {
    const stored = await readLogo(this.db, tenantId);
    if (!logo || stored?.sha256 !== logo.sha256) return undefined;
    return { data: stored.data, width: logo.width, height: logo.height };
  }
}

const instances = new WeakMap<Runtime, InvoicePdfs>();

/**
 * Returns the one InvoicePdfs of the process, so that the routes and the messages worker share one
 * process that draws, and one cache.
 */
export function openInvoicePdfs(runtime: Runtime): InvoicePdfs {
  let pdfs = instances.get(runtime);
  if (!pdfs) {
    const drawer = new PdfDrawer();
    pdfs = new InvoicePdfs(runtime.db, drawer);
    runtime.lifecycle.onClose('PDFs', () => drawer.close());
    instances.set(runtime, pdfs);
  }
  return pdfs;
}
