import { expect } from 'chai';
import fc from 'fast-check';
import type Joi from 'joi';
import { getClassName } from '../../shared/contracts/schemas/to-openapi.js';
import { resources } from '../../shared/registry/resources.js';
import { countRuns } from '../support/count-runs.js';
import { findSchemaProblems } from '../support/openapi-validator.js';
import {
  breakEveryMember,
  generateBodies,
  generateBrokenBodies,
  generateCompleteBodies,
} from '../support/records/arbitraries.js';
import { listDocumentedOperations } from '../support/text/openapi-walk.js';

const RUNS = countRuns(400);

const schemas = resources.flatMap((resource) => Object.values(resource.schemas)) as Joi.ObjectSchema[];
const schemaByName = new Map(schemas.map((schema) => [getClassName(schema), schema]));
const bodies = new Map(
  listDocumentedOperations().flatMap(({ body }) =>
    body ? [[String(body.schema.$ref).split('/').at(-1) as string, body.schema] as const] : [],
  ),
);

/**
 * True if the Joi schema accepts `value`, with the options of shared/contracts/schemas/validate.ts.
 */
function accepts(schema: Joi.Schema, value: unknown): boolean {
  return schema.validate(value, { abortEarly: false, stripUnknown: true }).error === undefined;
}

/**
 * True if every member is required and accepts only an e-mail address or one of a few words. No
 * hostile value is then valid.
 */
function hasOnlyFormats(schema: Joi.ObjectSchema): boolean {
  type Rule = { name: string; args?: { regex?: string } };
  type Key = { flags?: { presence?: string; only?: boolean }; rules?: Rule[] };
  const isFormat = ({ name, args }: Rule) => name === 'email' || args?.regex?.startsWith('/^2\\d{3}-(0');
  const { keys = {} } = schema.describe() as { keys?: Record<string, Key> };
  return Object.values(keys).every(
    ({ flags, rules }) => flags?.presence === 'required' && (flags.only || rules?.some(isFormat)),
  );
}

/**
 * Trims all texts in `value`, as the service does before it checks their lengths. JSON Schema
 * cannot express that.
 */
function trimTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, trimTexts(member)]));
}

describe('published request schemas and request checks', () => {
  it('every request body in the document has a Joi schema', () => {
    expect(bodies.size).to.be.above(0);
    expect([...bodies.keys()].filter((name) => !schemaByName.has(name))).to.deep.equal([]);
  });

  for (const [name, published] of bodies) {
    const schema = schemaByName.get(name) as Joi.ObjectSchema;

    it(`${name}: published schema and check accept valid bodies`, () => {
      const property = fc.property(generateBodies(schema), (body) => {
        expect(schema.validate(body).error?.message, 'Joi').to.equal(undefined);
        expect(findSchemaProblems(published, trimTexts(body)), 'published').to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it(`${name}: the published schema accepts all broken bodies that the check accepts`, () => {
      const property = fc.property(generateBrokenBodies(schema), (body) => {
        if (accepts(schema, body)) expect(findSchemaProblems(published, trimTexts(body))).to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it(`${name}: the published schema accepts all hostile values that the check accepts`, () => {
      const verdicts = { accepted: 0, refused: 0 };
      for (const whole of fc.sample(generateCompleteBodies(schema), { numRuns: 2, seed: 7 })) {
        for (const body of breakEveryMember(whole)) {
          const isAccepted = accepts(schema, body);
          verdicts[isAccepted ? 'accepted' : 'refused'] += 1;
          if (isAccepted)
            expect(findSchemaProblems(published, trimTexts(body)), JSON.stringify(body)).to.deep.equal([]);
        }
      }
      // The comparison is meaningful only if the check accepted some bodies and refused others.
      const members = Object.keys((schema.describe() as { keys?: object }).keys ?? {});
      if (members.length === 0) return;
      if (!hasOnlyFormats(schema)) expect(verdicts.accepted).to.be.above(0);
      expect(verdicts.refused).to.be.above(0);
    });

    it(`${name}: published schema and check require the same members`, () => {
      const { keys = {} } = schema.describe() as { keys?: Record<string, { flags?: { presence?: string } }> };
      const [whole] = fc.sample(generateCompleteBodies(schema), { numRuns: 1, seed: 7 }) as [
        Record<string, unknown>,
      ];
      for (const key of Object.keys(keys)) {
        const { [key]: _removed, ...without } = whole;
        const isRequired = findSchemaProblems(published, trimTexts(without)).length > 0;
        expect(isRequired, key).to.equal(!accepts(schema, without));
      }
    });
  }
});
