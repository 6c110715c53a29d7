import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { checkArguments } from '../../mcp/arguments.js';
import { LISTED } from '../../mcp/tools/schemas.js';
import { AppError } from '../../shared/platform/errors.js';
import { bodiesOf, brokenBodiesOf, everyBreakOf, wholeBodiesOf } from '../support/arbitraries.js';

const RUNS = 300;

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
(formats as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);

type Args = Record<string, unknown>;

/** Blanks around a text are dropped before it is measured: JSON Schema cannot say so. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, trimmed(member)]));
}

describe('the input schemas that agents are shown and the checks of calls', () => {
  for (const [tool, { inputSchema }] of LISTED) {
    const fits = ajv.compile(inputSchema);
    const faults = (args: unknown) =>
      fits(trimmed(args)) ? [] : fits.errors?.map((one) => `${one.instancePath} ${one.message}`);
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

    it(`${tool.name}: what is valid is accepted by both`, () => {
      const property = fc.property(bodiesOf(tool.input), (args) => {
        expect(accepts(args), JSON.stringify(args)).to.equal(true);
        expect(faults(args)).to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
    });

    it(`${tool.name}: what is shown refuses nothing that a call may hold`, () => {
      const property = fc.property(brokenBodiesOf(tool.input), (args) => {
        if (accepts(args)) expect(faults(args)).to.deep.equal([]);
      });
      fc.assert(property, { numRuns: RUNS });
      for (const whole of fc.sample(wholeBodiesOf(tool.input), { numRuns: 2, seed: 7 }))
        for (const args of everyBreakOf(whole))
          if (accepts(args)) expect(faults(args), JSON.stringify(args)).to.deep.equal([]);
    });

    it(`${tool.name}: both refuse arguments that there are not, and those that are missing`, () => {
      const [whole] = fc.sample(wholeBodiesOf(tool.input), { numRuns: 1, seed: 7 }) as [Args];
      for (const name of ['page', 'Limit', 'constructor', 'toString']) {
        expect(accepts({ ...whole, [name]: 1 }), name).to.equal(false);
        expect(faults({ ...whole, [name]: 1 }), name).to.not.deep.equal([]);
      }
      for (const name of Object.keys(whole)) {
        const { [name]: _removed, ...without } = whole;
        expect(accepts(without), name).to.equal(fits(trimmed(without)));
      }
    });
  }
});
