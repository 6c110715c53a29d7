import { Worker } from 'node:worker_threads';
import { errorCodeOf } from '../../../platform/errors.js';
import type { DrawReply, DrawRequest } from './pdf-thread.js';

export interface PdfDrawerOptions {
  /** Longest drawing of one PDF; the longest possible invoice takes 2 s on one core. */
  deadlineMs: number;
  /** An idle thread ends after so long and gives back the memory of its fonts. */
  idleMs: number;
  /**
   * A thread that needs more heap ends, not the process. A drawing that lacked what earlier ones had
   * left in the heap is made again by a new thread.
   */
  maxHeapMb: number;
  /** The module that the thread runs. */
  entry: URL;
}

const RUNS_SOURCES = import.meta.url.endsWith('.ts');

export const PDF_DRAWER_DEFAULTS: PdfDrawerOptions = {
  deadlineMs: 20_000,
  idleMs: 60_000,
  maxHeapMb: 256,
  entry: new URL(RUNS_SOURCES ? './pdf-thread.ts' : './pdf-thread.js', import.meta.url),
};

/**
 * Draws PDFs in a thread, one at a time; its caller sees to that. The thread starts with the first
 * one.
 */
export class PdfDrawer {
  private readonly options: PdfDrawerOptions;
  private thread: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(options: Partial<PdfDrawerOptions> = {}) {
    this.options = { ...PDF_DRAWER_DEFAULTS, ...options };
  }

  /** @throws {Error} when it cannot be drawn, or not in time */
  async draw(request: DrawRequest): Promise<Buffer> {
    clearTimeout(this.idle);
    const isUsed = this.thread !== undefined;
    try {
      return await this.drawOnce(request);
    } catch (error) {
      // Earlier drawings, perhaps another tenant's, may have taken the heap that this one lacked.
      if (!isUsed || errorCodeOf(error) !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      return await this.drawOnce(request);
    } finally {
      this.idle = setTimeout(() => void this.close(), this.options.idleMs).unref();
    }
  }

  private async drawOnce(request: DrawRequest): Promise<Buffer> {
    const thread = this.openThread();
    let mustEnd = true;
    try {
      const reply = await answerOf(thread, request, this.options.deadlineMs);
      if ('error' in reply) throw new Error(`the PDF could not be drawn: ${reply.error}`);
      mustEnd = reply.isFull;
      return Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength);
    } finally {
      // Whatever it is still doing or keeps, the next drawing starts afresh.
      if (mustEnd) await this.close();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { thread } = this;
    this.thread = undefined;
    await thread?.terminate();
  }

  private openThread(): Worker {
    if (this.thread) return this.thread;
    const thread = startThread(this.options);
    const forget = () => {
      if (this.thread === thread) this.thread = undefined;
    };
    // One that dies while nobody waits for it is replaced by the next drawing.
    thread.on('error', forget).on('exit', forget);
    thread.unref();
    this.thread = thread;
    return thread;
  }
}

function startThread({ entry, maxHeapMb }: PdfDrawerOptions): Worker {
  const options = { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } };
  if (!RUNS_SOURCES) return new Worker(entry, options);
  // Tests and `npm run dev` run the sources: a thread has to register their loader by itself.
  const start = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import('${entry.href}'); })`;
  return new Worker(start, { ...options, eval: true });
}

function answerOf(thread: Worker, request: DrawRequest, deadlineMs: number): Promise<DrawReply> {
  return new Promise<DrawReply>((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      settle();
    };
    const onMessage = (reply: DrawReply) => end(() => resolve(reply));
    const onError = (error: Error) => end(() => reject(error));
    const onExit = () => end(() => reject(new Error('the thread that draws PDFs has ended')));
    const timer = setTimeout(
      () => end(() => reject(new Error(`the PDF was not drawn within ${deadlineMs} ms`))),
      deadlineMs,
    );
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(request);
  });
}
