/**
 * The thread that draws PDFs. Drawing has its own thread, because fonts fill the heap and layout
 * blocks the event loop.
 */
import { getHeapStatistics } from 'node:v8';
import { parentPort, resourceLimits } from 'node:worker_threads';
import type { InvoiceDocument } from '../document.js';
import { drawInvoice, type InvoiceLogo } from './draw-invoice.js';

export interface DrawRequest {
  document: InvoiceDocument;
  logo: InvoiceLogo | undefined;
}

/** The thread's reply. `isFull` means that the next drawing needs a new thread. */
export type DrawReply = { bytes: Uint8Array; isFull: boolean } | { error: string };

const MIB = 1024 * 1024;

parentPort?.on('message', async ({ document, logo }: DrawRequest) => {
  const reply = await drawInvoice(document, logo).then(
    (bytes): DrawReply => ({ bytes, isFull: isHalfFull() }),
    (error: unknown): DrawReply => ({
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
  );
  parentPort?.postMessage(reply);
});

/**
 * True if half of the heap is used. Each font caches the characters that it has drawn, and so fills
 * the heap. A Chinese character takes about 12 KB.
 */
function isHalfFull(): boolean {
  const { maxOldGenerationSizeMb = Number.POSITIVE_INFINITY } = resourceLimits;
  return getHeapStatistics().used_heap_size > (maxOldGenerationSizeMb * MIB) / 2;
}
