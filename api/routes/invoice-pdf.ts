import { buildInvoiceDocument, pdfFileName } from '../../shared/documents/document.js';
import type { DocumentRow } from '../../shared/documents/document-rows.js';
import type { PdfRequest } from '../../shared/documents/pdf/invoice-pdfs.js';
import { notFound, serviceUnavailable } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { TooManyWaitingError } from '../../shared/platform/limits/fair-limit.js';
import { getReadAccess } from '../../shared/registry/tables.js';
import { buildInvoiceDocumentQuery } from '../../shared/resources/invoices/document-query.js';
import { requireAccess } from '../middleware/access.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

export const invoicePdfRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /invoices/{id}/pdf:
   *   get:
   *     operationId: getInvoicePdf
   *     summary: Get an invoice as a PDF
   *     description: The same document as in the mail to the customer.
   *     responses:
   *       '200':
   *         description: The PDF document
   *         content:
   *           application/pdf:
   *             schema: { type: string, format: binary }
   */
  router.get('/invoices/:id/pdf', requireAccess(getReadAccess('invoice')), async (ctx) => {
    const { key } = ctx.state;
    const { id } = ctx.params;
    if (!isUuid(id)) throw notFound('invoice');
    const query = buildInvoiceDocumentQuery([{ tenant_id: key.tenantId, id }]);
    const [row] = await api.db.read<DocumentRow>(key.tenantId, query);
    if (!row) throw notFound('invoice');
    await respondWithPdf(api, ctx, { tenantId: key.tenantId, document: buildInvoiceDocument(row) });
  });
});

/**
 * Responds with the invoice as a PDF. Browsers display the PDF, and do not save it as a file.
 * @throws {AppError} 503 when too many PDFs are being rendered
 */
export async function respondWithPdf(
  { pdfs }: ApiRuntime,
  ctx: ApiContext,
  request: PdfRequest,
): Promise<void> {
  const { document } = request;
  const pdf = await pdfs.get(request).catch((error: unknown) => {
    if (!(error instanceof TooManyWaitingError)) throw error;
    throw serviceUnavailable('Too many PDFs are being made right now. Try again shortly.', error);
  });
  ctx.type = 'application/pdf';
  ctx.set('Content-Disposition', `inline; filename="${pdfFileName(document)}"`);
  ctx.body = pdf;
}
