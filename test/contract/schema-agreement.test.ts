import { expect } from 'chai';
import fc from 'fast-check';
import type Joi from 'joi';
import { classNameOf } from '../../shared/contracts/to-openapi.js';
import { resources } from '../../shared/resources/index.js';
import { bodiesOf, brokenBodiesOf, everyBreakOf, wholeBodiesOf } from '../support/arbitraries.js';
import { findSchemaFaults } from '../support/openapi-validator.js';
import { documentedOperations } from '../support/openapi-walk.js';

const RUNS = 400;

const schemas = resources.flatMap((resource) => Object.values(resource.schemas)) as Joi.ObjectSchema[];
const bodies = new Map(
  documentedOperations().flatMap(({ body }) =>
    body ? [[String(body.schema.$ref).split('/').at(-1) as string, body.schema] as const] : [],
  ),
);

/** As the api checks a body (shared/contracts/validate.ts). */
function accepts(schema: Joi.Schema, value: unknown): boolean {
  return schema.validate(value, { abortEarly: false, stripUnknown: true }).error === undefined;
}

/**
 * Blanks around a text are dropped before it is measured, and the document says so in words: JSON Schema cannot. What is compared is the text
 * that remains.
 */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, trimmed(member)]));
}

describe('the published schemas and the checks of requests', () => {
  it('exist for every request body', () => {
    expect(bodies.size).to.be.above(0);
    for (const name of bodies.keys())
      expect(
        schemas.some((schema) => classNameOf(schema) === name),
        name,
      ).to.equal(true);
  });

  for (const [name, published] of bodies) {
    const schema = schemas.find((candidate) => classNameOf(candidate) === name) as Joi.ObjectSchema;

    it(`${name}: what is valid is accepted by both`, () => {
      const property = fc.property(bodiesOf(schema), (body) => {
        expect(schema.validate(body).error?.message, 'Joi').to.equal(undefined);
        expect(findSchemaFaults(published, trimmed(body)), 'published').to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it(`${name}: the published schema refuses nothing that a request may hold`, () => {
      const property = fc.property(brokenBodiesOf(schema), (body) => {
        if (accepts(schema, body)) expect(findSchemaFaults(published, trimmed(body))).to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it(`${name}: nor any hostile value in any one member`, () => {
      const verdicts = { accepted: 0, refused: 0 };
      for (const whole of fc.sample(wholeBodiesOf(schema), { numRuns: 2, seed: 7 })) {
        for (const body of everyBreakOf(whole)) {
          const isAccepted = accepts(schema, body);
          verdicts[isAccepted ? 'accepted' : 'refused'] += 1;
          if (isAccepted)
            expect(findSchemaFaults(published, trimmed(body)), JSON.stringify(body)).to.deep.equal([]);
        }
      }
      // Both sides of the line must be visited, or nothing was compared.
      const members = Object.keys((schema.describe() as { keys?: object }).keys ?? {});
      if (members.length === 0) return;
      expect(verdicts.accepted).to.be.above(0);
      expect(verdicts.refused).to.be.above(0);
    });

    it(`${name}: a member that the published schema requires is required, and none is missing`, () => {
      const { keys = {} } = schema.describe() as { keys?: Record<string, { flags?: { presence?: string } }> };
      const [whole] = fc.sample(wholeBodiesOf(schema), { numRuns: 1, seed: 7 }) as [Record<string, unknown>];
      for (const key of Object.keys(keys)) {
        const { [key]: _removed, ...without } = whole;
        const isRequired = findSchemaFaults(published, trimmed(without)).length > 0;
        expect(isRequired, key).to.equal(!accepts(schema, without));
      }
    });
  }
});
