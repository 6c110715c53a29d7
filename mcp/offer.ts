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
import { mayUse } from './access.js';
import { callTool } from './call-tool.js';
import type { Caller } from './caller.js';
import { getPrompt, listPrompts } from './prompts.js';
import { listResources, listTemplates, readResource } from './resources.js';
import type { McpRuntime } from './runtime.js';
import { LISTED } from './tools/schemas.js';
import type { ToolCall } from './tools/tool.js';

/** What an agent can list, call, read and get, whatever revision of the protocol it speaks. A member refuses by throwing an RpcError. */
export interface Offer {
  listTools: (caller: Caller) => Tool[];
  callTool: (caller: Caller, call: ToolCall) => Promise<CallToolResult>;
  listResources: (caller: Caller) => Resource[];
  listTemplates: (caller: Caller) => ResourceTemplate[];
  readResource: (caller: Caller, uri: string) => Promise<ReadResourceResult>;
  listPrompts: (caller: Caller) => Prompt[];
  getPrompt: (caller: Caller, name: string, args: Record<string, string>) => GetPromptResult;
  /** What may stand for an argument of a prompt or template, by what was written of it. The three that follow the product does not have: nobody is told of them. */
  complete?: ((caller: Caller, asked: CompleteRequestParams) => CompleteResult['completion']) | undefined;
  /** From which level on a caller wants `notifications/message` during its calls. There is no session: who keeps it keeps it by key, in its own process. */
  setLevel?: ((caller: Caller, level: LoggingLevel) => void) | undefined;
  /** Likewise, of resources that a caller wants to hear of. */
  subscriptions?:
    | { subscribe: (caller: Caller, uri: string) => void; unsubscribe: (caller: Caller, uri: string) => void }
    | undefined;
}

/** The product's: its registry of tools, resources and prompts. */
export function createOffer(mcp: McpRuntime): Offer {
  return {
    listTools: ({ key }) => [...LISTED].filter(([tool]) => mayUse(key, tool)).map(([, listed]) => listed),
    callTool: (caller, call) => callTool(mcp, caller, call),
    listResources: ({ key }) => listResources(key),
    listTemplates: ({ key }) => listTemplates(key),
    readResource: (caller, uri) => readResource(mcp, caller, uri),
    listPrompts: ({ key }) => listPrompts(key),
    getPrompt: ({ key }, name) => getPrompt(key, name),
  };
}
