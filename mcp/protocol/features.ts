import type {
  CallToolRequest,
  CallToolResult,
  GetPromptRequest,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  ReadResourceRequest,
  ReadResourceResult,
  ServerResult,
} from '@modelcontextprotocol/sdk/types.js';
import { callTool } from '../call/call-tool.js';
import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import { getPrompt, listPrompts } from '../resources/prompts.js';
import { listResources, listTemplates, readResource } from '../resources/resources.js';
import { LISTED_TOOLS } from '../tools/schemas.js';
import { canUseTool } from '../tools/tool.js';

/**
 * The handlers of agents' requests, by MCP method. All revisions of the protocol use the same
 * handlers. The SDK validates the params before it calls a handler. A handler refuses a request by
 * throwing an RpcError.
 */
export interface McpFeatures {
  'tools/list': (caller: Caller) => ListToolsResult;
  'tools/call': (caller: Caller, params: CallToolRequest['params']) => Promise<CallToolResult>;
  'resources/list': (caller: Caller) => ListResourcesResult;
  'resources/templates/list': (caller: Caller) => ListResourceTemplatesResult;
  'resources/read': (caller: Caller, params: ReadResourceRequest['params']) => Promise<ReadResourceResult>;
  'prompts/list': (caller: Caller) => ListPromptsResult;
  'prompts/get': (caller: Caller, params: GetPromptRequest['params']) => GetPromptResult;
}

export function createMcpFeatures(mcp: McpRuntime): McpFeatures {
  return {
    'tools/list': ({ key }) => ({
      tools: [...LISTED_TOOLS].filter(([tool]) => canUseTool(key, tool)).map(([, listed]) => listed),
    }),
    'tools/call': (caller, { name, arguments: args = {}, _meta: meta = {} }) =>
      callTool(mcp, caller, { name, args, meta }),
    'resources/list': ({ key }) => ({ resources: listResources(key) }),
    'resources/templates/list': ({ key }) => ({ resourceTemplates: listTemplates(key) }),
    'resources/read': (caller, { uri }) => readResource(mcp, caller, uri),
    'prompts/list': ({ key }) => ({ prompts: listPrompts(key) }),
    'prompts/get': ({ key }, { name }) => getPrompt(key, name),
  };
}

type Handle = (caller: Caller, params: unknown) => ServerResult | Promise<ServerResult>;

export function listHandlers(features: McpFeatures): [method: keyof McpFeatures, handle: Handle][] {
  return Object.entries(features) as [keyof McpFeatures, Handle][];
}
