/**
 * A worker thread that tests run instead of the product's thread that draws PDFs. The document's
 * title determines how the thread misbehaves.
 */
import { parentPort, threadId } from 'node:worker_threads';
import type { DrawReply, DrawRequest } from '../../../shared/documents/pdf/pdf-thread.js';

/** Texts that stay in the heap after a drawing. */
const kept: string[][] = [];

/** Fills the heap with pieces of about 0.4 MB each. */
const takeHeap = (pieces: number) => {
  for (let piece = 0; piece < pieces; piece += 1)
    kept.push(Array.from({ length: 10_000 }, (_, nth) => `${kept.length}-${nth}`));
};

parentPort?.on('message', ({ document: { title } }: DrawRequest) => {
  if (title === 'hangs') for (;;);
  if (title === 'takes all memory') takeHeap(Number.POSITIVE_INFINITY);
  // Fill the heap without limit, because the amount that exceeds the heap limit differs between
  // versions of Node.
  if (title === 'fits only into a new thread') takeHeap(kept.length === 0 ? 1 : Number.POSITIVE_INFINITY);
  if (title === 'exits') process.exit(0);
  const reply: DrawReply =
    title === 'fails'
      ? { error: 'no such font' }
      : { bytes: Buffer.from(`thread ${threadId}`), isFull: title === 'fills up' };
  parentPort?.postMessage(reply);
});
