import type { IncomingMessage } from 'node:http';
import {
  isInitializeRequest,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../context/caller.js';
import { RpcError, UNSUPPORTED_VERSION } from '../context/errors.js';
import type { McpRuntime } from '../context/runtime.js';
import type { McpFeatures } from './features.js';
import { createLegacyProtocol } from './legacy-protocol.js';
import {
  createNewestProtocol,
  isNewestRevision,
  type McpHttpResponse,
  NEWEST_VERSION,
} from './newest-protocol.js';

/**
 * Handles a request in the protocol revision that the request names.
 * @throws {RpcError} -32022 for a revision that this server does not support
 */
export type HandleMcpRequest = (
  request: JSONRPCRequest,
  headers: IncomingMessage['headers'],
  caller: Caller,
) => Promise<McpHttpResponse>;

/**
 * Creates the handler for the revisions 2024-11-05 to 2026-07-28, which share one URL and the same
 * features.
 */
export async function createMcpRequestHandler(
  mcp: McpRuntime,
  features: McpFeatures,
): Promise<HandleMcpRequest> {
  const legacy = await createLegacyProtocol(mcp, features);
  const newest = createNewestProtocol(mcp, features);
  return async (request, headers, caller) => {
    if (isNewestRevision(request, headers)) return newest(request, headers, caller);
    assertSupportedVersion(request, headers['mcp-protocol-version']);
    return { status: 200, body: await legacy.handleRequest(request, caller) };
  };
}

/**
 * Refuses a request whose header MCP-Protocol-Version names an unsupported version. A request
 * without this header uses the version that client and server agreed on in `initialize`.
 */
function assertSupportedVersion(request: JSONRPCRequest, header: string | string[] | undefined): void {
  const requested = header?.toString();
  if (requested === undefined || isInitializeRequest(request)) return;
  if (SUPPORTED_PROTOCOL_VERSIONS.includes(requested)) return;
  const supported = [NEWEST_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS];
  const message = `MCP-Protocol-Version must be one of ${supported.join(', ')}.`;
  throw new RpcError(UNSUPPORTED_VERSION, message, { supported, requested }, request.id);
}
