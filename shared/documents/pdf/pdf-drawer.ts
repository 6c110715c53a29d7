import { Worker } from 'node:worker_threads';
import { getErrorCode } from '../../platform/errors.js';
import type { DrawReply, DrawRequest } from './pdf-thread.js';

export interface PdfDrawerOptions {
  /** Maximum duration of a drawing. The longest possible invoice takes 2 s on one core. */
  deadlineMs: number;
  /** Idle time after which the thread ends, which frees the memory of its fonts. */
  idleMs: number;
  /**
   * Maximum heap size of the thread. If the thread needs more, it ends, but the process continues.
   */
  maxHeapMb: number;
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
 * Draws PDFs in a thread, which starts with the first PDF. The caller must draw one PDF at a time.
 */
export class PdfDrawer {
  private readonly options: PdfDrawerOptions;
  private thread: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(options: Partial<PdfDrawerOptions> = {}) {
    this.options = { ...PDF_DRAWER_DEFAULTS, ...options };
  }

  /** @throws {Error} if drawing fails or exceeds the deadline */
  async draw(request: DrawRequest): Promise<Buffer> {
    clearTimeout(this.idle);
    const isUsed = this.thread !== undefined;
    try {
      return await this.drawOnce(request);
    } catch (error) {
      // Earlier drawings in this thread, perhaps for other tenants, may have filled its heap. Draw
      // once more, in a new thread.
      if (!isUsed || getErrorCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      return await this.drawOnce(request);
    } finally {
      this.idle = setTimeout(() => void this.close(), this.options.idleMs).unref();
    }
  }

  private async drawOnce(request: DrawRequest): Promise<Buffer> {
    const thread = this.openThread();
    let mustEnd = true;
    try {
      const reply = await requestDrawing(thread, request, this.options.deadlineMs);
      if ('error' in reply) throw new Error(`the PDF could not be drawn: ${reply.error}`);
      mustEnd = reply.isFull;
      return Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength);
    } finally {
      // After a failure or with a full heap, the next drawing needs a new thread.
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
    const clearThread = () => {
      if (this.thread === thread) this.thread = undefined;
    };
    thread.on('error', clearThread).on('exit', clearThread);
    thread.unref();
    this.thread = thread;
    return thread;
  }
}

function startThread({ entry, maxHeapMb }: PdfDrawerOptions): Worker {
  const options = { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } };
  if (!RUNS_SOURCES) return new Worker(entry, options);
  // Tests and `npm run dev` run the TypeScript sources, so the thread must register the tsx loader.
  const start = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import('${entry.href}'); })`;
  return new Worker(start, { ...options, eval: true });
}

function requestDrawing(thread: Worker, request: DrawRequest, deadlineMs: number): Promise<DrawReply> {
  return new Promise<DrawReply>((resolve, reject) => {
    const end = (complete: () => void) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      complete();
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
