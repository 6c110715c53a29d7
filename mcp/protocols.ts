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

/** Answers a request in the revision that it speaks. @throws {RpcError} a revision that nobody here speaks */
export type Ask = (
  request: JSONRPCRequest,
  headers: IncomingMessage['headers'],
  caller: Caller,
) => Promise<HttpAnswer>;

export interface Protocols {
  ask: Ask;
  /** Hands on what a client answers to a question of ours (the older revisions have them). */
  takeAnswer: (answer: JSONRPCResponse, caller: Caller) => void;
}

/** Every revision of MCP on one URL, 2024-11-05 to 2026-07-28, out of one offer. */
export async function createProtocols(mcp: McpRuntime, offer: Offer): Promise<Protocols> {
  const older = await createProtocol(mcp, offer);
  const newest = createNewestProtocol(mcp, offer);
  const ask: Ask = async (request, headers, caller) => {
    if (isNewest(request, headers)) return newest(request, headers, caller);
    assertVersion(request, headers['mcp-protocol-version']);
    return { status: 200, answer: await older.ask(request, caller) };
  };
  return { ask, takeAnswer: (answer, caller) => older.takeAnswer(answer, caller) };
}

/** Absent, it is the revision that `initialize` agreed on. */
function assertVersion(request: JSONRPCRequest, given: string | string[] | undefined): void {
  const requested = given?.toString();
  if (requested === undefined || isInitializeRequest(request)) return;
  if (SUPPORTED_PROTOCOL_VERSIONS.includes(requested)) return;
  const supported = [NEWEST_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS];
  const message = `MCP-Protocol-Version is none of ${supported.join(', ')}.`;
  throw new RpcError(UNSUPPORTED_VERSION, message, { supported, requested }, request.id);
}
