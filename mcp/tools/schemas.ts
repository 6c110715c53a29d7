import type { Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import type Joi from 'joi';

import { toJsonSchema } from '../../shared/contracts/schemas/json-schema.js';
import { type OpenApiSchema, toInlineOpenApi } from '../../shared/contracts/schemas/to-openapi.js';
import { WRITE_ARGUMENTS } from './fields.js';

import { TOOLS } from './index.js';
import type { Tool } from './tool.js';

type JsonSchema = Record<string, unknown>;
type ObjectSchema = ListedTool['inputSchema'];

function describeTool(tool: Tool): ListedTool {
  const { name, title, description, kind } = tool;
  const isRead = kind !== 'write';
  return {
    name,
    title,
    description,
    inputSchema: buildInputSchema(tool),
    outputSchema: buildOutputSchema(tool),
    // Set all four hints. Otherwise clients use their own defaults (docs/specification.md §4.2).
    annotations: {
      title,
      readOnlyHint: isRead,
      destructiveHint: false,
      idempotentHint: isRead,
      openWorldHint: false,
    },
  };
}

function buildInputSchema({ input, kind }: Tool): ObjectSchema {
  const schema = kind === 'write' ? input.keys(WRITE_ARGUMENTS) : input;
  const { $schema: _dialect, ...rest } = toJsonSchema(toInlineOpenApi(schema));
  return toStrictSchema(rest) as ObjectSchema;
}

/**
 * Returns a copy of a schema that refuses unknown members and has no examples. The examples would
 * cost tokens and help the model little.
 */
function toStrictSchema(node: JsonSchema): JsonSchema {
  const { examples: _examples, properties, items, ...rest } = node;
  if (node.type !== 'object') {
    return { ...rest, ...(items ? { items: toStrictSchema(items as JsonSchema) } : {}) };
  }
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  return {
    ...rest,
    properties: Object.fromEntries(members.map(([name, member]) => [name, toStrictSchema(member)])),
    additionalProperties: false,
  };
}

/**
 * Reduces a record's schema to the names and types of its members. These are enough for a model.
 * The whole schema would cost three times the tokens.
 */
function buildOutline(schema: Joi.Schema): { type: 'object'; properties: Record<string, JsonSchema> } {
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

function listRequired(schema: Joi.Schema): string[] {
  const { required = [] } = toInlineOpenApi(schema) as { required?: string[] };
  return required;
}

/**
 * The members that the result of a write may have besides those of its record. The result has them
 * after a dry run, while the write waits for approval, or while it is in the queue.
 */
const OTHER_RESULT_MEMBERS = {
  ok: { type: 'boolean' },
  dry_run: { type: 'boolean' },
  pending_approval: { type: 'boolean' },
  approval: { type: 'object' },
  data: { type: 'object' },
  warnings: { type: 'array' },
};

function buildOutputSchema({ kind, output }: Tool): ObjectSchema {
  const record = buildOutline(output);
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
  if (kind === 'read') return { ...record, required: listRequired(output) };
  return { type: 'object', properties: { ...record.properties, ...OTHER_RESULT_MEMBERS } };
}

/**
 * The tools in the form that `tools/list` shows. They are built once per process, because building
 * a schema costs more than a call.
 */
export const LISTED_TOOLS: ReadonlyMap<Tool, ListedTool> = new Map(
  TOOLS.map((tool) => [tool, describeTool(tool)]),
);
