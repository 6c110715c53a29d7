/**
 * Entry of the thread that draws PDFs: fonts and layout stay out of the process's own memory and
 * event loop.
 */
import { parentPort } from 'node:worker_threads';
import type { InvoiceDocument } from '../document.js';
import { drawInvoice, type InvoicePicture } from './draw-invoice.js';

export interface DrawRequest {
  document: InvoiceDocument;
  logo: InvoicePicture | undefined;
}

export type DrawReply = { bytes: Uint8Array } | { error: string };

parentPort?.on('message', async ({ document, logo }: DrawRequest) => {
  const reply = await drawInvoice(document, logo).then(
    (bytes): DrawReply => ({ bytes }),
    (error: unknown): DrawReply => ({
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
  );
  parentPort?.postMessage(reply);
});
