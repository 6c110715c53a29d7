/**
 * A process that tests run instead of the product's process that draws PDFs. The document's title
 * determines how it misbehaves.
 */
import type { DrawReply, DrawRequest } from '../../../shared/documents/pdf/pdf-process.js';

/** Texts that stay in the heap after a drawing. */
const kept: string[][] = [];

/** Fills the heap with pieces of about 0.4 MB each. */
const takeHeap = (pieces: number) => {
  for (let piece = 0; piece < pieces; piece += 1)
    kept.push(Array.from({ length: 10_000 }, (_, nth) => `${kept.length}-${nth}`));
};

process.on('message', ({ document: { title } }: DrawRequest) => {
  if (title === 'hangs') for (;;);
  if (title === 'takes all memory') takeHeap(Number.POSITIVE_INFINITY);
  // Fill the heap without limit, because the amount that exceeds the heap limit differs between
  // versions of Node.
  if (title === 'fits only into a new process') takeHeap(kept.length === 0 ? 1 : Number.POSITIVE_INFINITY);
  if (title === 'exits') process.exit(0);
  const text =
    title === 'names the variables of its environment'
      ? JSON.stringify(Object.keys(process.env))
      : `process ${process.pid}`;
  const reply: DrawReply =
    title === 'fails'
      ? { error: 'no such font' }
      : { bytes: Buffer.from(text), isFull: title === 'fills up' };
  process.send?.(reply);
});
