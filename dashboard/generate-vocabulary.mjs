/**
 * Writes the words of openapi.json into dashboard/generated/vocabulary.ts, so that no screen
 * repeats them. For each named enum, writes its words and their meanings. For each open vocabulary,
 * writes its published values.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'docs', 'openapi.json'), 'utf8'));

const toConstantName = (name) => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();

/** Maps each word of an enum to its text in the list of the description. */
function readMeanings({ enum: words, description = '' }) {
  const texts = new Map(
    [...description.matchAll(/^- `(\w+)`: (.+)$/gm)].map(([, word, text]) => [word, text]),
  );
  return Object.fromEntries(
    words.filter((word) => word !== null).map((word) => [word, texts.get(word) ?? '']),
  );
}

/**
 * Maps each member name to its published values. Maps the name to undefined if members with this
 * name have different values.
 */
function findPublishedValues(node, found = new Map()) {
  for (const [name, child] of Object.entries(node ?? {})) {
    if (child === null || typeof child !== 'object') continue;
    const values = child['x-published-values'];
    if (values) {
      const known = found.has(name) ? found.get(name) : values;
      found.set(name, String(known) === String(values) ? values : undefined);
    }
    findPublishedValues(child, found);
  }
  return found;
}

const enums = Object.entries(document.components.schemas)
  .filter(([, schema]) => schema.type === 'string' && schema.enum)
  .map(
    ([name, schema]) =>
      `export const ${toConstantName(name)} = ${JSON.stringify(readMeanings(schema))} as const;`,
  );
const published = [...findPublishedValues(document.components.schemas)]
  .filter(([, values]) => values)
  .map(
    ([name, values]) =>
      `export const PUBLISHED_${toConstantName(name)} = ${JSON.stringify(values)} as const;`,
  );
const text = [
  '// Generated from docs/openapi.json by `npm run generate:dashboard`.',
  ...enums,
  ...published,
  '',
].join('\n');
writeFileSync(join(import.meta.dirname, 'generated', 'vocabulary.ts'), text);
