import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type Joi from 'joi';
import { compile } from 'json-schema-to-typescript';
import { settingsSchema } from '../shared/config/settings.js';
import { toTypeSchema } from '../shared/contracts/schemas/types-from-schemas.js';
import { envelopeSchemas, resources } from '../shared/registry/resources.js';
import { computeCodeChecksum, listMigrationFiles } from '../test/support/text/migration-files.js';
import { listFileSources } from '../workers/exports/files/sources.js';

// Generates files from the code: the types of all contracts and settings, the table of export
// columns, and the checksums of new migrations. With --check (`npm run check`), writes nothing and
// fails if a file is stale.
const isCheck = process.argv.includes('--check');
const schemas = [...resources.map((resource) => resource.schemas), envelopeSchemas].flatMap((module) =>
  Object.values(module as Record<string, Joi.Schema>),
);
const csvFiles = listFileSources({ resource: 'all', format: 'csv', include: [] });
const contractTypes = await renderTypes(schemas);
const settingsTypes = await renderTypes([settingsSchema.meta({ className: 'Settings' })]);
update('shared/contracts/generated.ts', () => contractTypes);
update('shared/config/generated.ts', () => settingsTypes);
update('docs/exports/README.md', (text) =>
  replaceTable(
    text,
    '| file | columns |',
    csvFiles.map(
      ({ name, columns }) => `| \`${name}.csv\` | ${columns.map((column) => column.name).join(', ')} |`,
    ),
  ),
);
update('test/contract/frozen-migrations.json', (text) => {
  const frozen = JSON.parse(text) as Record<string, string>;
  // Keep an existing checksum, because its migration may have landed and must not change.
  for (const file of listMigrationFiles()) frozen[file] ??= computeCodeChecksum(file);
  return `${JSON.stringify(frozen, null, 2)}\n`;
});

async function renderTypes(of: Joi.Schema[]): Promise<string> {
  const types = await compile(toTypeSchema(of), 'Contracts', {
    bannerComment: '/* Made from the Joi schemas by `npm run generate`. Do not edit. */',
    additionalProperties: false,
    format: true,
  });
  // Remove the root type, which exists only so that the compiler finds every definition.
  return types.replace(/^export interface Contracts \{\n[^}]*\}\n/m, '');
}

function update(path: string, render: (before: string) => string): void {
  const target = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
  const after = render(before);
  if (after === before) return;
  if (isCheck) {
    process.stderr.write(`${path} is stale: run \`npm run generate\`\n`);
    process.exitCode = 1;
  } else writeFileSync(target, after);
}

/** Replaces the rows of the Markdown table that begins with the line `heading`. */
function replaceTable(text: string, heading: string, rows: string[]): string {
  const lines = text.split('\n');
  const start = lines.indexOf(heading) + 2;
  if (start < 2) throw new Error(`no table with the heading ${heading}`);
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('|'));
  return [...lines.slice(0, start), ...rows, ...lines.slice(end)].join('\n');
}
