import type { IncomingMessage } from 'node:http';
import {
  isInitializeRequest,
  type JSONRPCRequest,
  type JSONRPCResponse,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from './caller.js';
import { createNewestProtocol, type HttpAnswer, isNewest, NEWEST_VERSION } from './newest-protocol.js';
import type { Offer } from './offer.js';
import { createProtocol } from './protocol.js';
import { RpcError, UNSUPPORTED_VERSION } from './rpc-error.js';
import type { McpRuntime } from './runtime.js';

/**
 * Handles a request in the revision that it names.
 * @throws {RpcError} -32022 for a revision that this server does not support
 */
export type Ask = (
  request: JSONRPCRequest,
  headers: IncomingMessage['headers'],
  caller: Caller,
) => Promise<HttpAnswer>;

export interface Protocols {
  ask: Ask;
  /**
   * Passes on a client's response to a request from the server, which only legacy revisions have.
   */
  takeAnswer: (response: JSONRPCResponse, caller: Caller) => void;
}

/** Serves all revisions of MCP, 2024-11-05 to 2026-07-28, on one URL and with the same features. */
export async function createProtocols(mcp: McpRuntime, features: Offer): Promise<Protocols> {
  const legacy = await createProtocol(mcp, features);
  const newest = createNewestProtocol(mcp, features);
  const handle: Ask = async (request, headers, caller) => {
    if (isNewest(request, headers)) return newest(request, headers, caller);
    assertSupportedVersion(request, headers['mcp-protocol-version']);
    return { status: 200, answer: await legacy.ask(request, caller) };
  };
  return { ask: handle, takeAnswer: (response, caller) => legacy.takeAnswer(response, caller) };
}

/** A request without the header uses the revision negotiated at `initialize`. */
function assertSupportedVersion(request: JSONRPCRequest, header: string | string[] | undefined): void {
  const requested = header?.toString();
  if (requested === undefined || isInitializeRequest(request)) return;
  if (SUPPORTED_PROTOCOL_VERSIONS.includes(requested)) return;
  const supported = [NEWEST_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS];
  const message = `MCP-Protocol-Version must be one of ${supported.join(', ')}.`;
  throw new RpcError(UNSUPPORTED_VERSION, message, { supported, requested }, request.id);
}
