import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../context/caller.js';
import type { CallNotifier } from '../context/client-channel.js';
import type { McpRuntime } from '../context/runtime.js';
import { createMcpFeatures, type McpFeatures } from './features.js';
import { buildLegacyCapabilities, SERVER_INFO, SERVER_INSTRUCTIONS } from './server-info.js';
import { SharedTransport } from './shared-transport.js';

/**
 * Creates the handler for the legacy revisions, 2024-11-05 to 2025-11-25, which start with
 * `initialize`. It uses the SDK's low-level server, because that accepts the JSON Schemas generated
 * from Joi. One shared transport connects the server to all clients. The newest revision is in
 * mcp/protocol/newest-protocol.ts.
 */
export async function createLegacyProtocol(
  mcp: McpRuntime,
  features: McpFeatures = createMcpFeatures(mcp),
): Promise<SharedTransport> {
  const capabilities = buildLegacyCapabilities(features);
  const server = new Server(SERVER_INFO, { capabilities, instructions: SERVER_INSTRUCTIONS });
  const onerror = (error: Error) => mcp.logger.warn({ err: error }, 'MCP message could not be handled');
  server.setRequestHandler(ListToolsRequestSchema, (_request, extra) => ({
    tools: features.listTools(readCaller(extra)),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    features.callTool(readCaller(extra), {
      name: params.name,
      args: params.arguments ?? {},
      meta: params._meta ?? {},
      callNotifier: createNotifier(extra, onerror),
    }),
  );
  server.setRequestHandler(ListResourcesRequestSchema, (_request, extra) => ({
    resources: features.listResources(readCaller(extra)),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, (_request, extra) => ({
    resourceTemplates: features.listTemplates(readCaller(extra)),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) =>
    features.readResource(readCaller(extra), params.uri),
  );
  server.setRequestHandler(ListPromptsRequestSchema, (_request, extra) => ({
    prompts: features.listPrompts(readCaller(extra)),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, extra) =>
    features.getPrompt(readCaller(extra), params.name, params.arguments ?? {}),
  );
  setOptionalHandlers(server, features);
  const transport = new SharedTransport(mcp.lifecycle);
  server.onerror = onerror;
  await server.connect(transport);
  return transport;
}

/** Sets the handlers of the optional features. */
function setOptionalHandlers(server: Server, { complete, setLevel, subscriptions }: McpFeatures): void {
  if (complete)
    server.setRequestHandler(CompleteRequestSchema, ({ params }, extra) => ({
      completion: complete(readCaller(extra), params),
    }));
  // The SDK's own handler would store one level for all clients.
  if (setLevel)
    server.setRequestHandler(SetLevelRequestSchema, ({ params }, extra) => {
      setLevel(readCaller(extra), params.level);
      return {};
    });
  if (!subscriptions) return;
  server.setRequestHandler(SubscribeRequestSchema, ({ params }, extra) => {
    subscriptions.subscribe(readCaller(extra), params.uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }, extra) => {
    subscriptions.unsubscribe(readCaller(extra), params.uri);
    return {};
  });
}

function createNotifier(extra: Extra, onerror: (error: Error) => void): CallNotifier {
  return {
    notify: (notification) => void extra.sendNotification(notification).catch(onerror),
    sendRequest: (request) => {
      const result = extra.sendRequest(request, ResultSchema);
      // The transport rejects requests that are open when their call ends. If the call's handler
      // does not await the result, the unhandled rejection would end the process.
      result.catch(() => undefined);
      return result;
    },
  };
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

function readCaller({ authInfo }: Extra): Caller {
  return authInfo?.extra?.caller as Caller;
}
