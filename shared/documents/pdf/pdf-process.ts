/**
 * The process that draws PDFs. Drawing has its own process, because fonts fill the heap and layout
 * blocks the event loop.
 */
import { getHeapStatistics } from 'node:v8';
import type { InvoiceDocument } from '../document.js';
import { drawInvoice, type InvoiceLogo } from './draw-invoice.js';

export interface DrawRequest {
  document: InvoiceDocument;
  logo: InvoiceLogo | undefined;
}

/** The reply of the process. `isFull` means that the next drawing needs a new process. */
export type DrawReply = { bytes: Uint8Array; isFull: boolean } | { error: string };

const MIB = 1024 * 1024;
const maxHeapBytes = Number(process.argv[2]) * MIB;

process.on('message', async ({ document, logo }: DrawRequest) => {
  const reply = await drawInvoice(document, logo).then(
    (bytes): DrawReply => ({ bytes, isFull: isHalfFull() }),
    (error: unknown): DrawReply => ({
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
  );
  process.send?.(reply);
});

// A terminal sends its signal to every process. The parent process finishes its requests first, and
// ends this process afterwards.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

// If the parent process was killed, nobody needs a PDF any more.
process.on('disconnect', () => process.exit());

/**
 * True if half of the heap is used. Each font caches the characters that it has drawn, and so fills
 * the heap. A Chinese character takes about 12 KB.
 */
function isHalfFull(): boolean {
  return getHeapStatistics().used_heap_size > maxHeapBytes / 2;
}
