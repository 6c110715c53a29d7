import { createHash } from 'node:crypto';
import { createFairLimit } from '../../../platform/fair-limit.js';
import type { Database } from '../../../platform/postgres.js';
import type { Runtime } from '../../../platform/runtime.js';
import { readLogo } from '../../settings/logo-queries.js';
import type { InvoiceDocument } from '../document.js';
import type { InvoicePicture } from './draw-invoice.js';
import { PdfCache } from './pdf-cache.js';
import { PdfDrawer } from './pdf-drawer.js';

/** One PDF is drawn at a time: it takes a whole core. */
const PLACES = { queues: ['pdf'] as const, maxRunning: 1, maxQueued: 50, maxQueuedPerGroup: 5 };
const MIB = 1024 * 1024;
const CACHE = { maxBytes: 32 * MIB, maxBytesPerTenant: 4 * MIB };

/** An invoice whose PDF is asked for. */
export interface PdfRequest {
  tenantId: string;
  document: InvoiceDocument;
}

/**
 * The PDFs of invoices. Each is drawn in a thread and kept, under the hash of all that it shows: a
 * change of the invoice, its customer, the account's settings or its logo is another version.
 * Tenants take turns.
 */
export class InvoicePdfs {
  private readonly limit = createFairLimit(PLACES);
  private readonly cache = new PdfCache(CACHE);
  private readonly underway = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly db: Database,
    private readonly drawer: Pick<PdfDrawer, 'draw'>,
  ) {}

  /** @throws {TooManyWaitingError} when too many PDFs wait already, of this tenant or of all */
  async get({ tenantId, document }: PdfRequest): Promise<Buffer> {
    const version = createHash('sha256').update(JSON.stringify(document)).digest('base64url');
    const kept = this.cache.get(tenantId, version);
    if (kept) return kept;
    const key = `${tenantId}/${version}`;
    let drawing = this.underway.get(key);
    if (!drawing) {
      drawing = this.limit
        .run({ queue: 'pdf', group: tenantId }, () => this.draw({ tenantId, document }, version))
        .finally(() => this.underway.delete(key));
      this.underway.set(key, drawing);
    }
    return drawing;
  }

  private async draw({ tenantId, document }: PdfRequest, version: string): Promise<Buffer> {
    const logo = document.logo ? await this.pictureOf(tenantId, document) : undefined;
    const pdf = await this.drawer.draw({ document, logo });
    // A logo that was replaced meanwhile is not this version's.
    if (!document.logo || logo) this.cache.set(tenantId, version, pdf);
    return pdf;
  }

  private async pictureOf(tenantId: string, { logo }: InvoiceDocument): Promise<InvoicePicture | undefined> {
    const stored = await readLogo(this.db, tenantId);
    if (!logo || stored?.sha256 !== logo.sha256) return undefined;
    return { data: stored.data, width: logo.width, height: logo.height };
  }
}

const opened = new WeakMap<Runtime, InvoicePdfs>();

/** The PDFs of a process: its routes and its messages worker share one thread and one cache. */
export function openInvoicePdfs(runtime: Runtime): InvoicePdfs {
  let pdfs = opened.get(runtime);
  if (!pdfs) {
    const drawer = new PdfDrawer();
    pdfs = new InvoicePdfs(runtime.db, drawer);
    runtime.lifecycle.onClose('PDFs', () => drawer.close());
    opened.set(runtime, pdfs);
  }
  return pdfs;
}
