import type { Dispatcher } from 'undici';

/** Collects one response, with at most maxBodyBytes of its body. The body is never decompressed. */
export class ResponseCollector implements Dispatcher.DispatchHandler {
  status = 0;
  headers: Record<string, string | string[]> = {};
  isTruncated = false;
  firstByteAt = 0;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    private readonly maxBodyBytes: number,
    private readonly resolve: (response: ResponseCollector) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  get body(): Buffer {
    const [first, ...others] = this.#chunks;
    if (first && others.length === 0) return first;
    return Buffer.concat(this.#chunks);
  }

  /**
   * Does nothing. Without this method, undici would assume that the handler implements its older
   * interface.
   */
  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // Informational responses ("103 Early Hints") precede the final response.
    if (status < 200) return;
    this.firstByteAt = performance.now();
    this.status = status;
    this.headers = headers as Record<string, string | string[]>;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const remaining = this.maxBodyBytes - this.#size;
    this.#chunks.push(chunk.length > remaining ? chunk.subarray(0, remaining) : chunk);
    this.#size += Math.min(chunk.length, remaining);
    if (chunk.length <= remaining) return;
    this.isTruncated = true;
    this.resolve(this);
    controller.abort(new Error('the body limit is reached'));
  }

  onResponseEnd(): void {
    this.resolve(this);
  }

  /**
   * Also runs after the body limit aborted the response. The promise is then already resolved, and
   * `reject` has no effect.
   */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.reject(error);
  }
}
