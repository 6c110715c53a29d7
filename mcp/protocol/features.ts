import type {
  CallToolResult,
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { callTool } from '../call/call-tool.js';
import type { Caller } from '../context/caller.js';
import type { McpRuntime } from '../context/runtime.js';
import { getPrompt, listPrompts } from '../resources/prompts.js';
import { listResources, listTemplates, readResource } from '../resources/resources.js';
import { LISTED_TOOLS } from '../tools/schemas.js';
import { canUseTool, type ToolCall } from '../tools/tool.js';

/**
 * The tools, resources and prompts that agents can use, the same in every revision of the protocol.
 * A member refuses a request by throwing an RpcError.
 */
export interface McpFeatures {
  listTools: (caller: Caller) => Tool[];
  callTool: (caller: Caller, call: ToolCall) => Promise<CallToolResult>;
  listResources: (caller: Caller) => Resource[];
  listTemplates: (caller: Caller) => ResourceTemplate[];
  readResource: (caller: Caller, uri: string) => Promise<ReadResourceResult>;
  listPrompts: (caller: Caller) => Prompt[];
  getPrompt: (caller: Caller, name: string, args: Record<string, string>) => GetPromptResult;
  /**
   * Suggests values for an argument of a prompt or of a resource template. The product omits this
   * member and the next two, so the server advertises none of them.
   */
  complete?: ((caller: Caller, params: CompleteRequestParams) => CompleteResult['completion']) | undefined;
  /**
   * Sets the lowest level of `notifications/message` that a caller receives during its calls. The
   * server has no sessions, so an implementation stores the level by key, in its own process.
   */
  setLevel?: ((caller: Caller, level: LoggingLevel) => void) | undefined;
  /** Adds and removes resources whose updates a caller receives, stored like the level. */
  subscriptions?:
    | { subscribe: (caller: Caller, uri: string) => void; unsubscribe: (caller: Caller, uri: string) => void }
    | undefined;
}

/** Builds the product's features from its registry of tools, resources and prompts. */
export function createMcpFeatures(mcp: McpRuntime): McpFeatures {
  return {
    listTools: ({ key }) =>
      [...LISTED_TOOLS].filter(([tool]) => canUseTool(key, tool)).map(([, listed]) => listed),
    callTool: (caller, call) => callTool(mcp, caller, call),
    listResources: ({ key }) => listResources(key),
    listTemplates: ({ key }) => listTemplates(key),
    readResource: (caller, uri) => readResource(mcp, caller, uri),
    listPrompts: ({ key }) => listPrompts(key),
    getPrompt: ({ key }, name) => getPrompt(key, name),
  };
}
