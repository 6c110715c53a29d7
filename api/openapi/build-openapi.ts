import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '../../shared/platform/files/package-root.js';
import { buildOpenApiDocument, renderOpenApiDocument } from './openapi.js';

// This script writes docs/openapi.json from the sources. With --check (`npm run check`) it writes
// nothing, and fails if the file is out of date.
const root = findPackageRoot();
const target = join(root, 'docs/openapi.json');
const text = renderOpenApiDocument(buildOpenApiDocument([join(root, 'api/routes/*.ts')]));
const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
if (process.argv.includes('--check')) {
  if (current !== text) {
    process.stderr.write('docs/openapi.json is stale: run `npm run build`\n');
    process.exit(1);
  }
} else if (current !== text) {
  writeFileSync(target, text);
}
