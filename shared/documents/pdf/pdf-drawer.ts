import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findPackageRoot } from '../../platform/files/package-root.js';
import type { DrawReply, DrawRequest } from './pdf-process.js';

export interface PdfDrawerOptions {
  /** Maximum duration of a drawing. The longest possible invoice takes 2 s on one core. */
  deadlineMs: number;
  /** Idle time after which the process ends, which frees the memory of its fonts. */
  idleMs: number;
  /** Maximum heap size of the process. If it needs more, it ends. */
  maxHeapMb: number;
  entry: URL;
}

/** Tests and `npm run dev` run the TypeScript sources. */
const RUNS_SOURCES = import.meta.url.endsWith('.ts');
const BUILT_ENTRY = 'dist/shared/documents/pdf/pdf-process.js';

export const PDF_DRAWER_DEFAULTS: PdfDrawerOptions = {
  deadlineMs: 20_000,
  idleMs: 60_000,
  maxHeapMb: 256,
  entry: RUNS_SOURCES
    ? new URL('./pdf-process.ts', import.meta.url)
    : pathToFileURL(join(findPackageRoot(), BUILT_ENTRY)),
};

class ProcessEndedError extends Error {}

/**
 * Draws PDFs in a process, which starts with the first PDF. The caller must draw one PDF at a time.
 * A worker thread would not do: on Node 24, a thread that fills its heap sometimes ends the whole
 * process.
 */
export class PdfDrawer {
  private readonly options: PdfDrawerOptions;
  private drawing: ChildProcess | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(options: Partial<PdfDrawerOptions> = {}) {
    this.options = { ...PDF_DRAWER_DEFAULTS, ...options };
  }

  /** @throws {Error} if drawing fails or exceeds the deadline */
  async draw(request: DrawRequest): Promise<Buffer> {
    clearTimeout(this.idle);
    const isUsed = this.drawing !== undefined;
    try {
      return await this.drawOnce(request);
    } catch (error) {
      // Earlier drawings in this process, perhaps for other tenants, may have filled its heap. Draw
      // once more, in a new process.
      if (!isUsed || !(error instanceof ProcessEndedError)) throw error;
      return await this.drawOnce(request);
    } finally {
      this.idle = setTimeout(() => void this.close(), this.options.idleMs).unref();
    }
  }

  private async drawOnce(request: DrawRequest): Promise<Buffer> {
    const drawing = this.openProcess();
    let mustEnd = true;
    try {
      const reply = await requestDrawing(drawing, request, this.options.deadlineMs);
      if ('error' in reply) throw new Error(`the PDF could not be drawn: ${reply.error}`);
      mustEnd = reply.isFull;
      return Buffer.from(reply.bytes.buffer, reply.bytes.byteOffset, reply.bytes.byteLength);
    } finally {
      // After a failure or with a full heap, the next drawing needs a new process.
      if (mustEnd) await this.close();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { drawing } = this;
    this.drawing = undefined;
    if (!drawing || hasEnded(drawing)) return;
    drawing.ref();
    drawing.kill('SIGKILL');
    await once(drawing, 'exit');
  }

  private openProcess(): ChildProcess {
    if (this.drawing && !hasEnded(this.drawing)) return this.drawing;
    const drawing = startProcess(this.options);
    // An idle process must not keep its parent process alive.
    drawing.unref();
    drawing.channel?.unref();
    // Each drawing hears its own errors. Without a listener between drawings, an error would end
    // the parent process.
    drawing.on('error', () => undefined);
    this.drawing = drawing;
    return drawing;
  }
}

/** True if the process has ended, or could not be started. */
const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid === undefined || exitCode !== null || signalCode !== null;

function startProcess({ entry, maxHeapMb }: PdfDrawerOptions): ChildProcess {
  const loader = entry.pathname.endsWith('.ts') ? ['--import', 'tsx'] : [];
  return fork(entry, [String(maxHeapMb)], {
    execArgv: [`--max-old-space-size=${maxHeapMb}`, ...loader],
    // The process needs none of the secrets in the environment.
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function requestDrawing(drawing: ChildProcess, request: DrawRequest, deadlineMs: number): Promise<DrawReply> {
  return new Promise<DrawReply>((resolve, reject) => {
    const end = (complete: () => void) => {
      clearTimeout(timer);
      drawing.off('message', onMessage).off('error', onError).off('exit', onExit);
      complete();
    };
    const onMessage = (reply: DrawReply) => end(() => resolve(reply));
    const onError = (error: Error) => end(() => reject(error));
    const onExit = (code: number | null, signal: string | null) =>
      end(() => reject(new ProcessEndedError(`the process that draws PDFs ended with ${signal ?? code}`)));
    const timer = setTimeout(
      () => end(() => reject(new Error(`the PDF was not drawn within ${deadlineMs} ms`))),
      deadlineMs,
    );
    drawing.on('message', onMessage).on('error', onError).on('exit', onExit);
    drawing.send(request, (error) => {
      if (error) end(() => reject(new ProcessEndedError('the process that draws PDFs has ended')));
    });
  });
}
