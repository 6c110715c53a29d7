import type { Dispatcher } from 'undici';

/** Takes in one answer as undici reads it, and no more of its body than is wanted. The body stays as it was sent: nothing is decompressed. */
export class Reception implements Dispatcher.DispatchHandler {
  status = 0;
  headers: Record<string, string | string[]> = {};
  isTruncated = false;
  /** When the headers had come. */
  firstByteAt = 0;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    private readonly maxBodyBytes: number,
    private readonly resolve: (whole: Reception) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  get body(): Buffer {
    const [first, ...others] = this.#chunks;
    if (first && others.length === 0) return first;
    return Buffer.concat(this.#chunks);
  }

  /** undici takes a handler without it for one of its older interface. */
  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // "103 Early Hints" and the like come before the answer.
    if (status < 200) return;
    this.firstByteAt = performance.now();
    this.status = status;
    this.headers = headers as Record<string, string | string[]>;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.maxBodyBytes - this.#size;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#size += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    this.isTruncated = true;
    this.resolve(this);
    controller.abort(new Error('enough'));
  }

  onResponseEnd(): void {
    this.resolve(this);
  }

  /** After `resolve` it says nothing new. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}
