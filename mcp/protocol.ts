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
import type { Caller } from './caller.js';
import { Exchange } from './exchange.js';
import { INSTRUCTIONS, olderCapabilitiesOf, SERVER_INFO } from './introduction.js';
import type { Aside } from './line.js';
import { createOffer, type Offer } from './offer.js';
import type { McpRuntime } from './runtime.js';

/**
 * The revisions that begin with `initialize`, 2024-11-05 to 2025-11-25: a low-level server, because it takes the JSON Schemas that our Joi schemas give,
 * connected to one exchange for all requests. The newest revision: newest-protocol.ts.
 */
export async function createProtocol(mcp: McpRuntime, offer: Offer = createOffer(mcp)): Promise<Exchange> {
  const capabilities = olderCapabilitiesOf(offer);
  const server = new Server(SERVER_INFO, { capabilities, instructions: INSTRUCTIONS });
  const onerror = (error: Error) => mcp.logger.warn({ err: error }, 'a message could not be handled');
  server.setRequestHandler(ListToolsRequestSchema, (_request, extra) => ({
    tools: offer.listTools(callerOf(extra)),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    offer.callTool(callerOf(extra), {
      name: params.name,
      args: params.arguments ?? {},
      meta: params._meta ?? {},
      aside: asideOf(extra, onerror),
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
  handleMore(server, offer);
  const exchange = new Exchange(mcp.lifecycle);
  server.onerror = onerror;
  await server.connect(exchange);
  return exchange;
}

/** What only some offers have. */
function handleMore(server: Server, { complete, setLevel, subscriptions }: Offer): void {
  if (complete)
    server.setRequestHandler(CompleteRequestSchema, ({ params }, extra) => ({
      completion: complete(callerOf(extra), params),
    }));
  // The SDK's own handler would keep one level for all clients.
  if (setLevel)
    server.setRequestHandler(SetLevelRequestSchema, ({ params }, extra) => {
      setLevel(callerOf(extra), params.level);
      return {};
    });
  if (!subscriptions) return;
  server.setRequestHandler(SubscribeRequestSchema, ({ params }, extra) => {
    subscriptions.subscribe(callerOf(extra), params.uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }, extra) => {
    subscriptions.unsubscribe(callerOf(extra), params.uri);
    return {};
  });
}

function asideOf(extra: Extra, onerror: (error: Error) => void): Aside {
  return {
    tell: (notification) => void extra.sendNotification(notification).catch(onerror),
    ask: (request) => {
      const asked = extra.sendRequest(request, ResultSchema);
      // A question that is withdrawn after its call was answered fails for nobody; unheard, that would end the process.
      asked.catch(() => undefined);
      return asked;
    },
  };
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

function callerOf({ authInfo }: Extra): Caller {
  return authInfo?.extra?.caller as Caller;
}
