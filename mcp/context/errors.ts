import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { AppError, isTransientDatabaseError, serviceUnavailable } from '../../shared/platform/errors.js';

/** JSON-RPC error code for an unsupported protocol version (MCP 2026-07-28, Versioning). */
export const UNSUPPORTED_VERSION = -32022;

/**
 * An error with a JSON-RPC code. When a handler throws it, both SDKs send `code`, `message` and
 * `data`.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /** Id of the refused request; null if unreadable. Used only for errors outside an SDK. */
    readonly id: RequestId | null = null,
  ) {
    super(message);
  }
}

/** Converts any thrown value to an error that clients may see. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isTransientDatabaseError(error))
    return serviceUnavailable('The store cannot be reached right now. Try again shortly.', error);
  return new AppError('internal_error', 'Something went wrong on our side.', { cause: error });
}
