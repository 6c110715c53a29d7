import { expect } from 'chai';
import fc from 'fast-check';
import type Joi from 'joi';
import { compileFastPath, UNDECIDED } from '../../../shared/contracts/schemas/fast-path.js';
import { buildSample } from '../../../shared/contracts/schemas/sample.js';
import { getClassName, toInlineOpenApi } from '../../../shared/contracts/schemas/to-openapi.js';
import { commands, resources } from '../../../shared/registry/resources.js';
import { invoiceCreate, invoiceListQuery } from '../../../shared/resources/invoices/schema.js';
import { countRuns } from '../../support/count-runs.js';
import {
  breakEveryMember,
  generateBodies,
  generateBrokenBodies,
  generateCompleteBodies,
} from '../../support/records/arbitraries.js';

const RUNS = countRuns(100);

/** The schemas of all documented bodies and queries, each with its fast path. */
const INPUTS = new Map(
  [...commands.map(({ schema }) => schema), ...resources.flatMap(({ schemas }) => Object.values(schemas))]
    .filter((schema) => /(Create|Patch|Query|Action|Draft|Input)$/.test(getClassName(schema) ?? ''))
    .map((schema) => [schema as Joi.ObjectSchema, compileFastPath(schema)] as const),
);

/**
 * Returns Joi's value as text, or undefined for an error. This is how the service validated before
 * it had the fast path.
 */
function judgeByJoi(schema: Joi.Schema, body: unknown): string | undefined {
  const { error, value } = schema.validate(body, { abortEarly: false, stripUnknown: true });
  return error ? undefined : JSON.stringify(value);
}

/**
 * Compares the fast path with Joi. If the fast path accepts the body, Joi must accept it and return
 * the same members in the same sequence. Returns whether the fast path accepted the body.
 */
function compare(schema: Joi.Schema, body: unknown): boolean {
  const before = JSON.stringify(body);
  const value = INPUTS.get(schema as Joi.ObjectSchema)?.(body);
  expect(JSON.stringify(body), 'the body is not changed').to.equal(before);
  if (value === UNDECIDED) return false;
  expect(JSON.stringify(value), before).to.equal(judgeByJoi(schema, body));
  return true;
}

describe('validation of plain valid input without Joi', () => {
  for (const schema of INPUTS.keys())
    it(`${getClassName(schema)}: whatever the fast path accepts, Joi accepts with the same result`, () => {
      const bodies = fc.oneof(generateBodies(schema), generateBrokenBodies(schema));
      fc.assert(
        fc.property(bodies, (body) => void compare(schema, body)),
        { numRuns: RUNS },
      );
      for (const whole of fc.sample(generateCompleteBodies(schema), { numRuns: 2, seed: 7 }))
        for (const body of breakEveryMember(whole)) compare(schema, body);
    });

  const line = {
    name: 'Light-duty tow',
    category: 'tow',
    quantity: 7.5,
    unit_type: 'mile',
    unit_price_cents: 450,
    total_cents: 3375,
  };
  const invoice = { invoice_number: 'INV-1', billing_email: 'billing@example.com', line_items: [line] };

  it('an ordinary invoice and an ordinary query need no Joi', () => {
    expect(compare(invoiceCreate, invoice)).to.equal(true);
    expect(compare(invoiceListQuery, { status: 'draft', limit: '50' })).to.equal(true);
    expect(compare(invoiceListQuery, Object.assign(Object.create(null), { limit: '7' }))).to.equal(true);
  });

  it('the documented examples of most schemas need no Joi', () => {
    const decided = [...INPUTS.keys()].filter((schema) =>
      compare(schema, buildSample(toInlineOpenApi(schema))),
    );
    expect(decided.length / INPUTS.size).to.be.above(0.7);
  });

  for (const [fault, body] of [
    ['a missing member', { line_items: [] }],
    ['an unknown member', { ...invoice, colour: 'red' }],
    ['a wrong line total', { ...invoice, line_items: [{ ...line, total_cents: 1 }] }],
    [
      'a negative price in a category without negative prices',
      { ...invoice, line_items: [{ ...line, unit_price_cents: -450, total_cents: -3375 }] },
    ],
    ['a text to trim', { ...invoice, notes: ' x' }],
    ['a control character', { ...invoice, notes: 'x\u0007' }],
    ['an email address in upper case', { ...invoice, billing_email: 'Billing@example.com' }],
    ['text in place of a number', { ...invoice, line_items: [{ ...line, quantity: '7.5' }] }],
    ['minus zero', { ...invoice, line_items: [{ ...line, unit_price_cents: -0, total_cents: -0 }] }],
    ['text in place of a list', { ...invoice, line_items: '[]' }],
    ['null in place of the body', null],
  ] as const)
    it(`Joi decides about ${fault}`, () => {
      expect(compare(invoiceCreate, body)).to.equal(false);
    });
});
