/**
 * Offers agents the product's tools, resources and prompts, and also the fixtures that the MCP
 * conformance suite calls by name.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../../../mcp/context/caller.js';
import type { McpRuntime } from '../../../mcp/context/runtime.js';
import { createMcpFeatures, type McpFeatures } from '../../../mcp/protocol/features.js';

/** A picture of one red pixel. */
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

const PROGRESS_TOOL = 'test_tool_with_progress';
const STEP_MS = 50;

async function reportProgress(
  { notify }: Caller,
  token: string | number | undefined,
): Promise<CallToolResult> {
  for (const progress of [0, 50, 100]) {
    if (token !== undefined)
      notify?.({ method: 'notifications/progress', params: { progressToken: token, progress, total: 100 } });
    await sleep(STEP_MS);
  }
  return { content: [text('done')] };
}

export function createConformanceOffer(mcp: McpRuntime): McpFeatures {
  const productOffer = createMcpFeatures(mcp);
  return {
    'tools/list': (caller) => ({
      tools: [
        ...productOffer['tools/list'](caller).tools,
        ...[...Object.keys(RESULTS), PROGRESS_TOOL].map((name) => ({
          name,
          description: `A fixture of the conformance suite: ${name}.`,
          inputSchema: { type: 'object' as const, ...INPUTS[name] },
        })),
      ],
    }),
    'tools/call': async (caller, params) => {
      if (params.name === PROGRESS_TOOL) return reportProgress(caller, params._meta?.progressToken);
      return RESULTS[params.name] ?? productOffer['tools/call'](caller, params);
    },
    'resources/list': (caller) => ({
      resources: [
        ...productOffer['resources/list'](caller).resources,
        ...Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
      ],
    }),
    'resources/templates/list': (caller) => ({
      resourceTemplates: [
        ...productOffer['resources/templates/list'](caller).resourceTemplates,
        { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
      ],
    }),
    'resources/read': async (caller, params) =>
      readFixture(params.uri) ?? productOffer['resources/read'](caller, params),
    'prompts/list': (caller) => ({
      prompts: [
        ...productOffer['prompts/list'](caller).prompts,
        ...Object.entries(PROMPTS).map(([name, { args }]) => ({
          name,
          description: `A fixture of the conformance suite: ${name}.`,
          arguments: args.map((arg) => ({ name: arg, description: arg, required: true })),
        })),
      ],
    }),
    'prompts/get': (caller, params) =>
      PROMPTS[params.name]?.get(params.arguments ?? {}) ?? productOffer['prompts/get'](caller, params),
  };
}
