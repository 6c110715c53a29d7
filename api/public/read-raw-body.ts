import { AppError } from '../../shared/platform/errors.js';
import type { ApiContext } from '../runtime/context.js';

/**
 * Reads a body without changing its bytes, because a vendor's signature covers these bytes.
 * @throws {AppError} 413 as soon as the body is too large; 400 if the body does not arrive in time
 */
export async function readRawBody(
  ctx: ApiContext,
  { maxBytes, deadlineMs }: { maxBytes: number; deadlineMs: number },
): Promise<Buffer> {
  const tooLarge = () => new AppError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
  if (Number(ctx.get('Content-Length') || 0) > maxBytes) throw tooLarge();
  const timer = setTimeout(() => ctx.req.destroy(new Error('late')), deadlineMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_json', 'The body did not arrive in time, or is truncated.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
