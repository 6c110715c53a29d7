import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const SCHEMAS = {
  initialize: InitializeRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'prompts/get': GetPromptRequestSchema,
} as const;

/** The answer to a request whose params are not of the protocol; undefined when they are. The SDK would call it an internal error, and print its checks. */
export function faultOfParams(request: JSONRPCRequest): JSONRPCErrorResponse | undefined {
  if (!Object.hasOwn(SCHEMAS, request.method)) return undefined;
  const { error } = SCHEMAS[request.method as keyof typeof SCHEMAS].safeParse(request);
  if (!error) return undefined;
  const faults = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return {
    jsonrpc: '2.0',
    id: request.id,
    error: { code: ErrorCode.InvalidParams, message: `${faults.join('; ')}.` },
  };
}
