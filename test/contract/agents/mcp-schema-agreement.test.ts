import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';

import { checkArguments } from '../../../mcp/call/arguments.js';
import { LISTED_TOOLS } from '../../../mcp/tools/schemas.js';
import { AppError } from '../../../shared/platform/errors.js';
import { countRuns } from '../../support/count-runs.js';
import {
  breakEveryMember,
  generateBodies,
  generateBrokenBodies,
  generateCompleteBodies,
} from '../../support/records/arbitraries.js';

const RUNS = countRuns(300);

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
(formats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);

type Args = Record<string, unknown>;

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

describe('published MCP input schemas and argument checks', () => {
  for (const [tool, { inputSchema }] of LISTED_TOOLS) {
    const matchesSchema = ajv.compile(inputSchema);
    const findProblems = (args: unknown) =>
      matchesSchema(trimTexts(args))
        ? []
        : matchesSchema.errors?.map((one) => `${one.instancePath} ${one.message}`);
    const accepts = (args: unknown): boolean => {
      try {
        checkArguments(tool, args as Args);
        return true;
      } catch (error) {
        expect(error, String(error)).to.be.instanceOf(AppError);
        expect((error as AppError).details, String(error)).to.not.deep.equal([]);
        return false;
      }
    };

    it(`${tool.name}: schema and check accept valid arguments`, () => {
      const property = fc.property(generateBodies(tool.input), (args) => {
        expect(accepts(args), JSON.stringify(args)).to.equal(true);
        expect(findProblems(args)).to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it(`${tool.name}: the schema accepts all arguments that the check accepts`, () => {
      const property = fc.property(generateBrokenBodies(tool.input), (args) => {
        if (accepts(args)) expect(findProblems(args)).to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
      for (const whole of fc.sample(generateCompleteBodies(tool.input), { numRuns: 2, seed: 7 }))
        for (const args of breakEveryMember(whole))
          if (accepts(args)) expect(findProblems(args), JSON.stringify(args)).to.deep.equal([]);
    });

    it(`${tool.name}: schema and check reject unknown arguments and missing ones`, () => {
      const [whole] = fc.sample(generateCompleteBodies(tool.input), { numRuns: 1, seed: 7 }) as [Args];
      for (const name of ['page', 'Limit', 'constructor', 'toString']) {
        expect(accepts({ ...whole, [name]: 1 }), name).to.equal(false);
        expect(findProblems({ ...whole, [name]: 1 }), name).to.not.deep.equal([]);
      }
      for (const name of Object.keys(whole)) {
        const { [name]: _removed, ...without } = whole;
        expect(accepts(without), name).to.equal(matchesSchema(trimTexts(without)));
      }
    });
  }
});
