import { expect } from 'chai';

import { FREE_TEXT_FIELDS } from '../../../mcp/text/untrusted-text.js';
import { TOOLS } from '../../../mcp/tools/index.js';
import { type OpenApiSchema, toInlineOpenApi } from '../../../shared/contracts/schemas/to-openapi.js';

/**
 * Members whose text the service itself generates. Their schema allows any text, so `isServiceText`
 * cannot recognize these members.
 */
const SERVICE_TEXTS = new Set([
  'job_number',
  'action',
  'tool',
  'request_id',
  'ip',
  'entity_type',
  'hash',
  'field',
  'changed',
]);

const isServiceText = ({ enum: values, format, pattern }: OpenApiSchema) =>
  values !== undefined || pattern !== undefined || ['uuid', 'date-time', 'email'].includes(String(format));

/** Returns the names of all members of `schema` whose value can be any text. */
function listTextNames(schema: OpenApiSchema, name = ''): string[] {
  if (schema.items) return listTextNames(schema.items as OpenApiSchema, name);
  if (schema.properties)
    return Object.entries(schema.properties as Record<string, OpenApiSchema>).flatMap(([member, one]) =>
      listTextNames(one, member),
    );
  return schema.type === 'string' && !isServiceText(schema) ? [name] : [];
}

const found = new Set(TOOLS.flatMap(({ output }) => listTextNames(toInlineOpenApi(output))));

describe('texts in MCP tool results', () => {
  it('the service generates each text or delimits it as untrusted', () => {
    expect(found).to.include('notes');
    expect(
      [...found].filter((name) => !SERVICE_TEXTS.has(name) && !FREE_TEXT_FIELDS.has(name)),
    ).to.deep.equal([]);
    expect([...FREE_TEXT_FIELDS].filter((name) => SERVICE_TEXTS.has(name))).to.deep.equal([]);
  });

  it('the lists of text names contain only names that a tool returns', () => {
    expect([...FREE_TEXT_FIELDS, ...SERVICE_TEXTS].filter((name) => !found.has(name))).to.deep.equal([]);
  });
});
