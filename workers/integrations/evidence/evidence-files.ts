import { buffer } from 'node:stream/consumers';
import { buildInvoiceDocument } from '../../../shared/documents/document.js';
import type { DocumentRow } from '../../../shared/documents/document-rows.js';
import { openInvoicePdfs } from '../../../shared/documents/pdf/invoice-pdfs.js';
import type { EvidenceFile } from '../../../shared/integrations/contract/payments.js';
import type { EvidenceFacts, EvidencePhoto } from '../../../shared/resources/disputes/queries.js';
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

interface EvidenceFiles {
  files: EvidenceFile[];
  /** The photos in the file with the photos, in the sequence of its pages. */
  photos: EvidencePhoto[];
}

/** Builds the files that prove the work: the invoice, and the photos of the work order. */
export async function buildEvidenceFiles(step: Step, facts: EvidenceFacts): Promise<EvidenceFiles> {
  const invoice = await drawInvoice(step, facts.invoice_id);
  const pictures = await readPictures(step, facts.photos);
  const data = await bindPictures(pictures.map(({ picture }) => picture));
  return {
    files: [
      ...(invoice ? [{ kind: 'invoice' as const, name: 'invoice.pdf', data: invoice }] : []),
      ...(data ? [{ kind: 'photos' as const, name: 'photos.pdf', data }] : []),
    ],
    photos: pictures.map(({ photo }) => photo),
  };
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

/** Binds pictures into one PDF. Each page shows one. */
async function bindPictures(pictures: readonly Buffer[]): Promise<Buffer | undefined> {
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

/** Reads the pictures of photos, newest first. Omits those that do not fit. */
async function readPictures(
  { services }: Step,
  photos: readonly EvidencePhoto[],
): Promise<{ photo: EvidencePhoto; picture: Buffer }[]> {
  const storage = openStorage(services.runtime.config.exportStorage);
  const pictures: { photo: EvidencePhoto; picture: Buffer }[] = [];
  let left = MAX_PHOTO_BYTES;
  for (const photo of photos) {
    if (photo.bytes > left) continue;
    const object = await storage.open(photo.object_key);
    if (!object) continue;
    pictures.push({ photo, picture: await buffer(object.stream) });
    left -= photo.bytes;
  }
  return pictures;
}
