import type { IncomingMessage } from 'node:http';
import { isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import {
  type CacheHint,
  classifyInboundRequest,
  createMcpHandler,
  type ListToolsResult,
  METHOD_NOT_FOUND,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Caller } from './caller.js';
import { fitToLeave } from './fit-to-leave.js';
import { capabilitiesOf, INSTRUCTIONS, SERVER_INFO } from './introduction.js';
import type { Aside } from './line.js';
import type { Offer } from './offer.js';
import type { McpRuntime } from './runtime.js';

type Headers = IncomingMessage['headers'];

/** The revision without `initialize`: every request says its version, and headers repeat what proxies route by. */
export const NEWEST_VERSION = '2026-07-28';

/** Lists change with a release or with another key; what is read is live, which is the SDK's own default. */
const LIST_HINT: CacheHint = { ttlMs: 300_000, cacheScope: 'private' };
const CACHE_HINTS = {
  'server/discover': LIST_HINT,
  'tools/list': LIST_HINT,
  'resources/list': LIST_HINT,
  'resources/templates/list': LIST_HINT,
  'prompts/list': LIST_HINT,
};

export interface HttpAnswer {
  status: number;
  answer: JSONRPCMessage;
}

/** Answers a request of the newest revision, the faults of its version and headers among them. */
export type AskNewest = (
  message: { id: string | number; method: string },
  headers: Headers,
  caller: Caller,
) => Promise<HttpAnswer>;

/** Whether the newest revision answers a message, by the SDK's own rule: it claims a version in `_meta`, or a header names a new one. */
export function isNewest(message: unknown, headers: Headers): boolean {
  // The SDK takes any text that sorts behind its first version for a newer one, and an `initialize` for one with a wrong header.
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

/** MCP 2026-07-28 beside the older revisions (protocol.ts) on the same URL, out of the same offer. The SDK wants a server for each request. */
export function createNewestProtocol({ logger }: Pick<McpRuntime, 'logger'>, offer: Offer): AskNewest {
  const onerror = (error: Error) => logger.warn({ err: error }, 'a message could not be handled');
  const handler = createMcpHandler(() => serverOf(offer), { legacy: 'reject', onerror });
  return async (message, headers, caller) => {
    // The SDK would open a stream and close it again; nothing is ever said but during a call.
    if (message.method === 'subscriptions/listen') return nothingToListenTo(message.id);
    const { key } = caller;
    const response = await handler.fetch(requestOf(headers), {
      parsedBody: message,
      authInfo: { token: '', clientId: key.id, scopes: key.scopes, extra: { caller } },
    });
    const said = (await response.json()) as JSONRPCMessage;
    const answer = fitToLeave(said, { method: message.method, requestId: caller.requestId, onerror });
    return { status: response.status, answer };
  };
}

function nothingToListenTo(id: string | number): HttpAnswer {
  const error = { code: METHOD_NOT_FOUND, message: 'This server sends no notifications but during a call.' };
  return { status: 404, answer: { jsonrpc: '2.0', id, error } };
}

/** What the SDK looks at of the HTTP request; all else was checked before. */
function requestOf(headers: Headers): Request {
  const given = STANDARD_HEADERS.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : []));
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: [['content-type', 'application/json'], ...(given as [string, string][])],
  });
}

function serverOf(offer: Offer): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: capabilitiesOf(offer),
    instructions: INSTRUCTIONS,
    cacheHints: CACHE_HINTS,
  });
  server.setRequestHandler('tools/list', (_request, context) => ({
    // One JSON Schema, typed more loosely by the older SDK.
    tools: offer.listTools(callerOf(context)) as ListToolsResult['tools'],
  }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    offer.callTool(callerOf(context), {
      name: params.name,
      args: params.arguments ?? {},
      meta: params._meta ?? {},
      aside: asideOf(callerOf(context)),
    }),
  );
  server.setRequestHandler('resources/list', (_request, context) => ({
    resources: offer.listResources(callerOf(context)),
  }));
  server.setRequestHandler('resources/templates/list', (_request, context) => ({
    resourceTemplates: offer.listTemplates(callerOf(context)),
  }));
  server.setRequestHandler('resources/read', ({ params }, context) =>
    offer.readResource(callerOf(context), params.uri),
  );
  server.setRequestHandler('prompts/list', (_request, context) => ({
    prompts: offer.listPrompts(callerOf(context)),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    offer.getPrompt(callerOf(context), params.name, params.arguments ?? {}),
  );
  const { complete } = offer;
  if (complete)
    server.setRequestHandler('completion/complete', ({ params }, context) => ({
      completion: complete(callerOf(context), params),
    }));
  return server;
}

/** Past the SDK, which would put it all into a stream of its own that had to be read here again. */
function asideOf({ line }: Caller): Aside {
  return {
    tell: (notification) => void line?.say({ jsonrpc: '2.0', ...notification }),
    ask: () => Promise.reject(new Error(`A server of revision ${NEWEST_VERSION} sends no requests.`)),
  };
}

function callerOf({ http }: ServerContext): Caller {
  return http?.authInfo?.extra?.caller as Caller;
}
