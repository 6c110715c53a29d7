import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/** An unsupported protocol version (MCP 2026-07-28, Versioning). */
export const UNSUPPORTED_VERSION = -32022;

/** When a handler throws this error, both SDKs send its `code`, `message` and `data`. */
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
