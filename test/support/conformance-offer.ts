/**
 * The tools, resources and prompts that the conformance suite expects on a server, besides the
 * product's own. For tests only.
 */
import type {
  CallToolResult,
  GetPromptResult,
  LoggingLevel,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpRuntime } from '../../mcp/context/runtime.js';
import { createMcpFeatures, type McpFeatures } from '../../mcp/protocol/features.js';
import { CLIENT_TOOLS, LOG_LEVELS } from './conformance-client-tools.js';

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (value: string) => ({ type: 'text' as const, text: value });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
});

const RESULTS: Record<string, CallToolResult> = {
  test_simple_text: { content: [text('This is a simple text response for testing.')] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  },
  test_multiple_content_types: {
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  },
  test_error_handling: {
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  },
  json_schema_2020_12_tool: { content: [text('done')] },
};

const INPUTS: Record<string, object> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

const RESOURCES: Record<string, { mimeType: string; text: string } | { mimeType: string; blob: string }> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
};

const PROMPTS: Record<string, { args: string[]; get: (args: Record<string, string>) => GetPromptResult }> = {
  test_simple_prompt: {
    args: [],
    get: () => ({ messages: [{ role: 'user', content: text('This is a simple prompt for testing.') }] }),
  },
  test_prompt_with_arguments: {
    args: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => ({
      messages: [{ role: 'user', content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) }],
    }),
  },
  test_prompt_with_embedded_resource: {
    args: ['resourceUri'],
    get: ({ resourceUri = '' }) => ({
      messages: [
        {
          role: 'user',
          content: embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        },
        { role: 'user', content: text('Please process the embedded resource above.') },
      ],
    }),
  },
  test_prompt_with_image: {
    args: [],
    get: () => ({
      messages: [
        { role: 'user', content: image },
        { role: 'user', content: text('Please analyze the image above.') },
      ],
    }),
  },
};

function readFixture(uri: string): ReadResourceResult | undefined {
  const fixed = RESOURCES[uri];
  if (fixed) return { contents: [{ uri, ...fixed }] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return undefined;
  const body = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text: body }] };
}

/** The product's offer with the suite's fixtures added. */
export function createConformanceOffer(mcp: McpRuntime): McpFeatures {
  const productOffer = createMcpFeatures(mcp);
  const levels = new Map<string, LoggingLevel>();
  const subscribedUris = new Map<string, Set<string>>();
  return {
    listTools: (caller) => [
      ...productOffer.listTools(caller),
      ...[...Object.keys(RESULTS), ...Object.keys(CLIENT_TOOLS)].map((name) => ({
        name,
        description: `A fixture of the conformance suite: ${name}.`,
        inputSchema: { type: 'object' as const, ...INPUTS[name] },
      })),
    ],
    callTool: async (caller, call) => {
      const { callNotifier } = call;
      const clientTool = CLIENT_TOOLS[call.name];
      if (clientTool && callNotifier)
        return clientTool(call, { aside: callNotifier, level: levels.get(caller.key.id) ?? 'debug' });
      return RESULTS[call.name] ?? productOffer.callTool(caller, call);
    },
    listResources: (caller) => [
      ...productOffer.listResources(caller),
      ...Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
    ],
    listTemplates: (caller) => [
      ...productOffer.listTemplates(caller),
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
    readResource: async (caller, uri) => readFixture(uri) ?? productOffer.readResource(caller, uri),
    listPrompts: (caller) => [
      ...productOffer.listPrompts(caller),
      ...Object.entries(PROMPTS).map(([name, { args }]) => ({
        name,
        description: `A fixture of the conformance suite: ${name}.`,
        arguments: args.map((arg) => ({ name: arg, description: arg, required: true })),
      })),
    ],
    getPrompt: (caller, name, args) => PROMPTS[name]?.get(args) ?? productOffer.getPrompt(caller, name, args),
    complete: (_caller, { argument }) => {
      const values = ['paris', 'park', 'party'].filter((word) => word.startsWith(argument.value));
      return { values, total: values.length, hasMore: false };
    },
    setLevel: ({ key }, level) => {
      if (LOG_LEVELS.includes(level)) levels.set(key.id, level);
    },
    subscriptions: {
      subscribe: ({ key }, uri) => {
        subscribedUris.set(key.id, (subscribedUris.get(key.id) ?? new Set()).add(uri));
      },
      unsubscribe: ({ key }, uri) => {
        subscribedUris.get(key.id)?.delete(uri);
      },
    },
  };
}
