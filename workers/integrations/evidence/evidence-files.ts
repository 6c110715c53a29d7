import { buffer } from 'node:stream/consumers';
import { buildInvoiceDocument } from '../../../shared/documents/document.js';
import type { DocumentRow } from '../../../shared/documents/document-rows.js';
import { openInvoicePdfs } from '../../../shared/documents/pdf/invoice-pdfs.js';
import type { EvidenceFile } from '../../../shared/integrations/contract/payments.js';
import type { EvidenceFacts } from '../../../shared/resources/disputes/queries.js';
import { buildInvoiceDocumentQuery } from '../../../shared/resources/invoices/document-query.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import type { Step } from '../vendor/step.js';

/**
 * Banks refuse more than 4.5 MB of files for one dispute. This limit leaves 1 MB for the invoice.
 */
const MAX_PHOTO_BYTES = 3_500_000;
/** A page of US Letter size with its margins, in points. */
const PAGE = { size: 'LETTER', margin: 36 } as const;
const PHOTO_BOX: [width: number, height: number] = [540, 680];

/** Builds the files that prove the work: the invoice, and the photos of the work order. */
export async function buildEvidenceFiles(step: Step, facts: EvidenceFacts): Promise<EvidenceFile[]> {
  const invoice = await drawInvoice(step, facts.invoice_id);
  const photos = await bindPhotos(step, facts.photos);
  return [
    ...(invoice ? [{ kind: 'invoice' as const, name: 'invoice.pdf', data: invoice }] : []),
    ...(photos ? [{ kind: 'photos' as const, name: 'photos.pdf', data: photos }] : []),
  ];
}

/** Draws the invoice as a PDF. */
export async function drawInvoice(step: Step, id: string): Promise<Buffer | undefined> {
  const { tenantId } = step.connection;
  const [row] = await step.db.read<DocumentRow>(
    tenantId,
    buildInvoiceDocumentQuery([{ tenant_id: tenantId, id }]),
  );
  const pdfs = openInvoicePdfs(step.services.runtime);
  return row && pdfs.get({ tenantId, document: buildInvoiceDocument(row) });
}

/**
 * Binds photos into one PDF. Each page shows one photo, newest first. Omits the photos that do not
 * fit.
 */
async function bindPhotos(step: Step, photos: EvidenceFacts['photos']): Promise<Buffer | undefined> {
  const pictures = await readPictures(step, photos);
  if (pictures.length === 0) return undefined;
  // Loaded here, because few processes need it and it takes 0.15 s of CPU time.
  const { default: PDFDocument } = await import('pdfkit');
  const pdf = new PDFDocument({ ...PAGE, autoFirstPage: false, info: { Title: 'Photos of the work' } });
  const bytes = buffer(pdf);
  for (const picture of pictures) {
    pdf.addPage();
    pdf.image(picture, PAGE.margin, PAGE.margin, { fit: PHOTO_BOX });
  }
  pdf.end();
  return bytes;
}

async function readPictures({ services }: Step, photos: EvidenceFacts['photos']): Promise<Buffer[]> {
  const storage = openStorage(services.runtime.config.exportStorage);
  const pictures: Buffer[] = [];
  let left = MAX_PHOTO_BYTES;
  for (const { object_key, bytes } of photos) {
    if (bytes > left) continue;
    const object = await storage.open(object_key);
    if (!object) continue;
    pictures.push(await buffer(object.stream));
    left -= bytes;
  }
  return pictures;
}
