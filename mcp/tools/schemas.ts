import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import type Joi from 'joi';
import { toJsonSchema } from '../../shared/contracts/json-schema.js';
import { type OpenApiSchema, toInlineOpenApi } from '../../shared/contracts/to-openapi.js';
import { WRITE_ARGUMENTS } from '../write-options.js';
import { TOOLS } from './index.js';
import type { Tool } from './tool.js';

type JsonSchema = Record<string, unknown>;
type ObjectSchema = ListedTool['inputSchema'];

function listed(tool: Tool): ListedTool {
  const { name, title, description, kind } = tool;
  const isRead = kind !== 'write';
  return {
    name,
    title,
    description,
    inputSchema: inputOf(tool),
    outputSchema: outputOf(tool),
    // All four said: a client must not guess (specification section 4.2).
    annotations: {
      title,
      readOnlyHint: isRead,
      destructiveHint: false,
      idempotentHint: isRead,
      openWorldHint: false,
    },
  };
}

/** As Joi checks it; what nobody knows is refused. */
function inputOf({ input, kind }: Tool): ObjectSchema {
  const schema = kind === 'write' ? input.keys(WRITE_ARGUMENTS) : input;
  const { $schema: _dialect, ...rest } = toJsonSchema(toInlineOpenApi(schema));
  return closed(rest) as ObjectSchema;
}

/** A long example and a vocabulary in words cost more of a model's context than they help. */
function closed(node: JsonSchema): JsonSchema {
  const { examples: _examples, properties, items, ...rest } = node;
  if (node.type !== 'object') {
    return { ...rest, ...(items ? { items: closed(items as JsonSchema) } : {}) };
  }
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  return {
    ...rest,
    properties: Object.fromEntries(members.map(([name, member]) => [name, closed(member)])),
    additionalProperties: false,
  };
}

/** Names and types alone: enough to know what is there, and a third of what the whole schema would cost a model. */
function outline(schema: Joi.Schema): { type: 'object'; properties: Record<string, JsonSchema> } {
  const { properties = {} } = toInlineOpenApi(schema) as { properties?: Record<string, OpenApiSchema> };
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, { type, nullable }]) => [
        name,
        type === undefined ? {} : { type: nullable ? [type, 'null'] : type },
      ]),
    ),
  };
}

function requiredOf(schema: Joi.Schema): string[] {
  const { required = [] } = toInlineOpenApi(schema) as { required?: string[] };
  return required;
}

/** Written by hand: members of the answers to a dry run, a held write and one that is still queued. */
const OTHER_ANSWERS = {
  ok: { type: 'boolean' },
  dry_run: { type: 'boolean' },
  pending_approval: { type: 'boolean' },
  approval: { type: 'object' },
  data: { type: 'object' },
  warnings: { type: 'array' },
};

function outputOf({ kind, output }: Tool): ObjectSchema {
  const record = outline(output);
  if (kind === 'list') {
    return {
      type: 'object',
      properties: {
        items: { type: 'array', items: record },
        cursor: { type: ['string', 'null'] },
        count: { type: 'integer' },
      },
      required: ['items', 'cursor', 'count'],
    };
  }
  if (kind === 'read') return { ...record, required: requiredOf(output) };
  return { type: 'object', properties: { ...record.properties, ...OTHER_ANSWERS } };
}

/** A tool as tools/list and the manifest show it. Made once: a schema costs more than a call. */
export const LISTED: ReadonlyMap<Tool, ListedTool> = new Map(TOOLS.map((tool) => [tool, listed(tool)]));
