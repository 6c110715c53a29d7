/** Stands in for the thread that draws PDFs: the title of the document says how it behaves. */
import { parentPort, threadId } from 'node:worker_threads';
import type { DrawReply, DrawRequest } from '../../shared/resources/invoices/pdf/pdf-thread.js';

parentPort?.on('message', ({ document: { title } }: DrawRequest) => {
  if (title === 'hangs') for (;;);
  if (title === 'takes all memory') {
    const kept: string[][] = [];
    for (;;) kept.push(Array.from({ length: 10_000 }, (_, nth) => `${kept.length}-${nth}`));
  }
  if (title === 'exits') process.exit(0);
  const reply: DrawReply =
    title === 'fails' ? { error: 'no such font' } : { bytes: Buffer.from(`thread ${threadId}`) };
  parentPort?.postMessage(reply);
});
