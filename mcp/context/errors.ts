import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/** JSON-RPC error code for an unsupported protocol version (MCP 2026-07-28, Versioning). */
export const UNSUPPORTED_VERSION = -32022;

/**
 * A JSON-RPC error for the client. If a handler throws this error, the SDK sends its `code`,
 * `message` and `data`.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /**
     * Id of the refused request, or null if the server could not read it. Used only if this server
     * sends the error itself, without an SDK.
     */
    readonly id: RequestId | null = null,
  ) {
    super(message);
  }
}
