import { expect } from 'chai';
import { FREE_TEXT } from '../../mcp/fence.js';
import { TOOLS } from '../../mcp/tools/index.js';
import { type OpenApiSchema, toInlineOpenApi } from '../../shared/contracts/to-openapi.js';

/** Strings of our own making, beside those whose schema says so. */
const OURS = new Set([
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

const isOurs = ({ enum: values, format, pattern }: OpenApiSchema) =>
  values !== undefined || pattern !== undefined || ['uuid', 'date-time', 'email'].includes(String(format));

/** Names of the members of a schema that can hold any text. */
function textsOf(schema: OpenApiSchema, name = ''): string[] {
  if (schema.items) return textsOf(schema.items as OpenApiSchema, name);
  if (schema.properties)
    return Object.entries(schema.properties as Record<string, OpenApiSchema>).flatMap(([member, one]) =>
      textsOf(one, member),
    );
  return schema.type === 'string' && !isOurs(schema) ? [name] : [];
}

const found = new Set(TOOLS.flatMap(({ output }) => textsOf(toInlineOpenApi(output))));

describe('texts in the answers of tools', () => {
  it('are each of our own making or fenced', () => {
    expect(found).to.include('notes');
    expect([...found].filter((name) => !OURS.has(name) && !FREE_TEXT.has(name))).to.deep.equal([]);
    expect([...FREE_TEXT].filter((name) => OURS.has(name))).to.deep.equal([]);
  });

  it('are all there are: no list has a name that no answer has', () => {
    expect([...FREE_TEXT, ...OURS].filter((name) => !found.has(name))).to.deep.equal([]);
  });
});
