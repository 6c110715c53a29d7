import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from './package-root.js';

export function readPackageVersion(): string {
  const text = readFileSync(join(findPackageRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
