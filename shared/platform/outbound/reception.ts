import type { Dispatcher } from 'undici';
import { OutboundError } from './outbound-error.js';

/** "103 Early Hints" and the like before the answer; more are a flood. */
const MAX_INFORMATIONAL = 8;

/** Takes in one answer as undici reads it, and no more of its body than is wanted. The body stays as it was sent: nothing is decompressed. */
export class Reception implements Dispatcher.DispatchHandler {
  status = 0;
  headers: Record<string, string | string[]> = {};
  isTruncated = false;
  /** When the headers had come. */
  firstByteAt = 0;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #informational = 0;

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
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > MAX_INFORMATIONAL) {
        controller.abort(
          new OutboundError('invalid_response', 'The answer has too many informational responses.'),
        );
      }
      return;
    }
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
