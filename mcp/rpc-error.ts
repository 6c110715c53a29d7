import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/** JSON-RPC's code for a version that nobody here speaks (MCP 2026-07-28, Versioning). */
export const UNSUPPORTED_VERSION = -32022;

/** A fault that JSON-RPC has a code for. Both SDKs send `code`, `message` and `data` of what a handler throws. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
    /** Of the refused message; null: it could not be read. Known where no SDK answers. */
    readonly id: RequestId | null = null,
  ) {
    super(message);
  }
}
