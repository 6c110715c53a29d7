import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildOpenApiDocument } from '../../../api/openapi/openapi.js';
import { toJsonSchema } from '../../../shared/contracts/schemas/json-schema.js';
import { EVENT_TYPES } from '../../../shared/contracts/vocabulary.js';
import { describeEventType } from '../../../shared/resources/event-types/bodies.js';
import type { Json } from '../../support/client.js';
import { PROJECT } from '../../support/load/processes.js';

/**
 * The block of a route that registers receivers. The test adds this route to the product's routes.
 */
const BLOCK = `/**
 * @openapi
 * /receivers:
 *   post:
 *     operationId: createReceiver
 *     tags: [Events]
 *     summary: Register a receiver
 *     x-callbacks: events
 *     responses:
 *       '201': { description: Registered }
 */
`;

describe('x-callbacks: events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tow-openapi-'));
  let document: Json;

  before(() => {
    writeFileSync(join(folder, 'receivers.ts'), BLOCK);
    document = buildOpenApiDocument([join(PROJECT, 'api/routes/*.ts'), join(folder, '*.ts')]);
  });
  after(() => rmSync(folder, { recursive: true }));

  const resolve = ($ref: string): Json =>
    $ref
      .slice(2)
      .split('/')
      .reduce((at: Json, part) => at[part], document);
  const inlineRefs = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inlineRefs);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref } = node as Json;
    if ($ref) return inlineRefs(resolve($ref));
    // Leave out the published values, because the event catalogue names them only in descriptions.
    const { 'x-published-values': _published, ...written } = node as Json;
    // A reference may have its own description. Inlining joins it with the schema's description.
    const { allOf: [named] = [], description, ...own } = written;
    if (named) {
      const { description: namedDescription, ...schema } = inlineRefs(named) as Json;
      return { ...schema, ...own, description: `${description}\n\n${namedDescription}` };
    }
    return Object.fromEntries(Object.entries(written).map(([key, value]) => [key, inlineRefs(value)]));
  };
  const findCallback = (type: string): Json =>
    document.paths['/receivers'].post.callbacks[type]['{$request.body#/url}'].post;

  it('x-callbacks adds one callback per event type, to the URL in the body', () => {
    expect(document.paths['/receivers'].post).to.not.have.property('x-callbacks');
    expect(Object.keys(document.paths['/receivers'].post.callbacks)).to.deep.equal([...EVENT_TYPES]);
    const ids = EVENT_TYPES.map((type) => findCallback(type).operationId);
    expect(ids).to.include.members(['onInvoicePaid', 'onAiSuggestionCreated']);
    expect(new Set(ids).size).to.equal(EVENT_TYPES.length);
  });

  it('each callback has exactly the schema and example of the event catalogue', () => {
    for (const type of EVENT_TYPES) {
      const { schema, example } = findCallback(type).requestBody.content['application/json'];
      expect(schema.$ref, type).to.match(/^#\/components\/schemas\/[A-Za-z]+Event$/);
      expect(toJsonSchema(inlineRefs(schema) as Json), type).to.deep.equal(describeEventType(type).schema);
      expect(example).to.deep.equal(describeEventType(type).example);
    }
    expect(JSON.stringify(resolve('#/components/schemas/InvoicePaidEvent'))).to.include(
      '{"$ref":"#/components/schemas/Payment"}',
    );
  });

  it('each callback has the headers of Standard Webhooks, no credential, and all response codes', () => {
    for (const type of EVENT_TYPES) {
      const { parameters, security, responses } = findCallback(type);
      const headers = parameters.map(({ $ref }: Json) => resolve($ref));
      expect(headers.map(({ name }: Json) => name)).to.deep.equal([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
      ]);
      for (const one of headers) expect(one).to.include({ in: 'header', required: true });
      expect(security).to.deep.equal([]);
      expect(responses).to.have.all.keys('2XX', '410', 'default');
    }
  });

  it('a document without x-callbacks contains no event schema or webhook header', () => {
    const { components } = buildOpenApiDocument([join(PROJECT, 'api/routes/events.ts')]) as Json;
    expect(components.schemas).to.not.have.property('InvoicePaidEvent');
    expect(components.parameters).to.not.have.property('WebhookId');
  });
});
