import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from './caller.js';
import { Exchange } from './exchange.js';
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from './introduction.js';
import { createOffer, type Offer } from './offer.js';
import type { McpRuntime } from './runtime.js';

/**
 * The revisions that begin with `initialize`, 2024-11-05 to 2025-11-25: a low-level server, because it takes the JSON Schemas that our Joi schemas give,
 * connected to one exchange for all requests. The newest revision: newest-protocol.ts.
 */
export async function createProtocol(mcp: McpRuntime, offer: Offer = createOffer(mcp)): Promise<Exchange> {
  const server = new Server(SERVER_INFO, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS });
  server.setRequestHandler(ListToolsRequestSchema, (_request, extra) => ({
    tools: offer.listTools(callerOf(extra)),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    offer.callTool(callerOf(extra), {
      name: params.name,
      args: params.arguments ?? {},
      meta: params._meta ?? {},
    }),
  );
  server.setRequestHandler(ListResourcesRequestSchema, (_request, extra) => ({
    resources: offer.listResources(callerOf(extra)),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, (_request, extra) => ({
    resourceTemplates: offer.listTemplates(callerOf(extra)),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }, extra) =>
    offer.readResource(callerOf(extra), params.uri),
  );
  server.setRequestHandler(ListPromptsRequestSchema, (_request, extra) => ({
    prompts: offer.listPrompts(callerOf(extra)),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, extra) =>
    offer.getPrompt(callerOf(extra), params.name, params.arguments ?? {}),
  );
  const exchange = new Exchange();
  server.onerror = (error) => mcp.logger.warn({ err: error }, 'a message could not be handled');
  await server.connect(exchange);
  return exchange;
}

function callerOf({ authInfo }: RequestHandlerExtra<ServerRequest, ServerNotification>): Caller {
  return authInfo?.extra?.caller as Caller;
}
