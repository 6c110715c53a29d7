import type { IncomingMessage } from 'node:http';
import { isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import {
  type CacheHint,
  classifyInboundRequest,
  createMcpHandler,
  type HandlerResultTypeMap,
  METHOD_NOT_FOUND,
  Server,
} from '@modelcontextprotocol/server';
import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import { listHandlers, type McpFeatures } from './features.js';
import { sanitizeErrorResponse } from './sanitize-error-response.js';
import { CAPABILITIES, SERVER_INFO, SERVER_INSTRUCTIONS } from './server-info.js';

type Headers = IncomingMessage['headers'];

/**
 * The newest revision. This revision has no `initialize`. Instead, every request names the protocol
 * version in `_meta` and in a header.
 */
export const NEWEST_VERSION = '2026-07-28';

/**
 * The time for which a client may cache a list. A list changes only with a release, or if the
 * client uses another key. Other results have the SDK's default cache time.
 */
const LIST_HINT: CacheHint = { ttlMs: 300_000, cacheScope: 'private' };
const CACHE_HINTS = {
  'server/discover': LIST_HINT,
  'tools/list': LIST_HINT,
  'resources/list': LIST_HINT,
  'resources/templates/list': LIST_HINT,
  'prompts/list': LIST_HINT,
};

export interface McpHttpResponse {
  status: number;
  body: JSONRPCMessage;
}

/**
 * Handles a request of the newest revision. Responds with an error to a wrong version or header.
 */
export type HandleNewestRequest = (
  message: { id: string | number; method: string },
  headers: Headers,
  caller: Caller,
) => Promise<McpHttpResponse>;

/**
 * True if this MCP message must be handled by the rules of the newest revision. The SDK looks for
 * the version in `_meta` and in a header.
 */
export function isNewestRevision(message: unknown, headers: Headers): boolean {
  // Do not ask the SDK about an `initialize` request or a malformed version. The SDK would treat
  // every header value that sorts after 2026-07-28, even a word, as a newer revision.
  const version = headers['mcp-protocol-version']?.toString();
  if (isInitializeRequest(message) || (version !== undefined && !REVISION.test(version))) return false;
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = STANDARD_HEADERS.map((name) =>
    headers[name]?.toString(),
  );
  const { kind } = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(protocolVersionHeader === undefined ? {} : { protocolVersionHeader }),
    ...(mcpMethodHeader === undefined ? {} : { mcpMethodHeader }),
    ...(mcpNameHeader === undefined ? {} : { mcpNameHeader }),
  });
  return kind !== 'legacy';
}

const REVISION = /^\d{4}-\d{2}-\d{2}$/;
const STANDARD_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/**
 * Creates the handler for MCP 2026-07-28. The SDK requires a new server object for each request.
 */
export function createNewestProtocol(
  { logger }: Pick<McpRuntime, 'logger'>,
  features: McpFeatures,
): HandleNewestRequest {
  const onerror = (error: Error) => logger.warn({ err: error }, 'MCP message could not be handled');
  const handler = createMcpHandler(() => createServer(features), { legacy: 'reject', onerror });
  return async (message, headers, caller) => {
    // Refuse a subscription. This server sends notifications only during a call, so the SDK would
    // open a stream and close it again.
    if (message.method === 'subscriptions/listen') return refuseSubscription(message.id);
    const { key } = caller;
    const response = await handler.fetch(toFetchRequest(headers), {
      parsedBody: message,
      authInfo: { token: '', clientId: key.id, scopes: key.scopes, extra: { caller } },
    });
    const body = (await response.json()) as JSONRPCMessage;
    const sanitized = sanitizeErrorResponse(body, {
      method: message.method,
      requestId: caller.requestId,
      onerror,
    });
    return { status: response.status, body: sanitized };
  };
}

function refuseSubscription(id: string | number): McpHttpResponse {
  const error = { code: METHOD_NOT_FOUND, message: 'This server sends notifications only during a call.' };
  return { status: 404, body: { jsonrpc: '2.0', id, error } };
}

/**
 * Builds the Fetch request that the SDK expects. The request contains only the headers that the SDK
 * reads, because this server has already checked all others.
 */
function toFetchRequest(headers: Headers): Request {
  const present = STANDARD_HEADERS.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : []));
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: [['content-type', 'application/json'], ...(present as [string, string][])],
  });
}

function createServer(features: McpFeatures): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: CAPABILITIES,
    instructions: SERVER_INSTRUCTIONS,
    cacheHints: CACHE_HINTS,
  });
  for (const [method, handle] of listHandlers(features))
    server.setRequestHandler(method, async ({ params }, { http }) => {
      const result = await handle(http?.authInfo?.extra?.caller as Caller, params);
      // Cast the type. Both SDKs use the same JSON, but the types of the legacy SDK are looser.
      return result as HandlerResultTypeMap[typeof method];
    });
  return server;
}
