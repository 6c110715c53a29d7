import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import { listHandlers, type McpFeatures } from './features.js';
import { CAPABILITIES, SERVER_INFO, SERVER_INSTRUCTIONS } from './server-info.js';
import { SharedTransport } from './shared-transport.js';

const REQUEST_SCHEMAS = {
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'prompts/get': GetPromptRequestSchema,
};

/**
 * Creates the handler for the revisions 2024-11-05 to 2025-11-25, in which a client starts with
 * `initialize`. Uses the SDK's low-level server, because that server accepts JSON Schemas. The
 * schemas are generated from Joi. One {@link SharedTransport} connects this server to all clients.
 */
export async function createLegacyProtocol(
  { logger }: Pick<McpRuntime, 'logger'>,
  features: McpFeatures,
): Promise<SharedTransport> {
  const server = new Server(SERVER_INFO, { capabilities: CAPABILITIES, instructions: SERVER_INSTRUCTIONS });
  for (const [method, handle] of listHandlers(features))
    server.setRequestHandler(REQUEST_SCHEMAS[method], ({ params }, { authInfo }) =>
      handle(authInfo?.extra?.caller as Caller, params),
    );
  server.onerror = (error) => logger.warn({ err: error }, 'MCP message could not be handled');
  const transport = new SharedTransport();
  await server.connect(transport);
  return transport;
}
