import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type Joi from 'joi';
import { compile } from 'json-schema-to-typescript';
import { toTypeSchema } from '../shared/contracts/schemas/types-from-schemas.js';
import { envelopeSchemas, resources } from '../shared/registry/resources.js';

// Generates the types of all contracts from their Joi schemas. With --check (`npm run check`) it
// only compares.
const target = fileURLToPath(new URL('../shared/contracts/generated.ts', import.meta.url));
const schemas = [...resources.map((resource) => resource.schemas), envelopeSchemas].flatMap((module) =>
  Object.values(module as Record<string, Joi.Schema>),
);
const source = await compile(toTypeSchema(schemas), 'Contracts', {
  bannerComment: '/* Made from the Joi schemas by `npm run types`. Do not edit. */',
  additionalProperties: false,
  format: true,
});
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== source) {
    process.stderr.write('shared/contracts/generated.ts is stale: run `npm run types`\n');
    process.exit(1);
  }
} else {
  writeFileSync(target, source);
}
