import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildDocument } from '../../api/openapi.js';
import { toJsonSchema } from '../../shared/contracts/json-schema.js';
import { EVENT_TYPES } from '../../shared/contracts/vocabulary.js';
import { eventTypeView } from '../../shared/resources/event-types/bodies.js';
import type { Json } from '../support/client.js';
import { PROJECT } from '../support/processes.js';

/** Routes as they are, and one that registers receivers. */
const BLOCK = `/**
 * @openapi
 * /receivers:
 *   post:
 *     operationId: createReceiver
 *     tags: [Events]
 *     summary: Register a receiver
 *     x-body: CustomerCreate
 *     x-callbacks: events
 *     responses:
 *       '201': { x-resource: Customer }
 */
`;

describe('x-callbacks: events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tow-openapi-'));
  let document: Json;

  before(() => {
    writeFileSync(join(folder, 'receivers.ts'), BLOCK);
    document = buildDocument([join(PROJECT, 'api/routes/*.ts'), join(folder, '*.ts')]);
  });
  after(() => rmSync(folder, { recursive: true }));

  const resolve = ($ref: string): Json =>
    $ref
      .slice(2)
      .split('/')
      .reduce((at: Json, part) => at[part], document);
  /** With every reference written out. */
  const inlined = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inlined);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref } = node as Json;
    if ($ref) return inlined(resolve($ref));
    // A named set that says more where it stands; inline, both texts are one.
    const { allOf: [named] = [], description, ...own } = node as Json;
    if (named) {
      const { description: words, ...schema } = inlined(named) as Json;
      return { ...schema, ...own, description: `${description}\n\n${words}` };
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, inlined(value)]));
  };
  const operationOf = (type: string): Json =>
    document.paths['/receivers'].post.callbacks[type]['{$request.body#/url}'].post;

  it('writes out one callback for each type of event, to the url in the body', () => {
    expect(document.paths['/receivers'].post).to.not.have.property('x-callbacks');
    expect(Object.keys(document.paths['/receivers'].post.callbacks)).to.deep.equal([...EVENT_TYPES]);
    const ids = EVENT_TYPES.map((type) => operationOf(type).operationId);
    expect(ids).to.include.members(['onInvoicePaid', 'onAiSuggestionCreated']);
    expect(new Set(ids).size).to.equal(EVENT_TYPES.length);
  });

  it('shows in each the very schema and example of the catalogue', () => {
    for (const type of EVENT_TYPES) {
      const { schema, example } = operationOf(type).requestBody.content['application/json'];
      expect(schema.$ref, type).to.match(/^#\/components\/schemas\/[A-Za-z]+Event$/);
      expect(toJsonSchema(inlined(schema) as Json), type).to.deep.equal(eventTypeView(type).schema);
      expect(example).to.deep.equal(eventTypeView(type).example);
    }
    expect(JSON.stringify(resolve('#/components/schemas/InvoicePaidEvent'))).to.include(
      '{"$ref":"#/components/schemas/Payment"}',
    );
  });

  it('declares the three headers of Standard Webhooks, no credential, and what each answer means', () => {
    for (const type of EVENT_TYPES) {
      const { parameters, security, responses } = operationOf(type);
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

  it('leaves nothing in a document that does not ask for it', () => {
    const { components } = buildDocument([join(PROJECT, 'api/routes/events.ts')]) as Json;
    expect(components.schemas).to.not.have.property('InvoicePaidEvent');
    expect(components.parameters).to.not.have.property('WebhookId');
  });
});
