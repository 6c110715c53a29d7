import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Reads the version from the nearest package.json above this file. The function searches upwards,
 * because the compiled copy of this file in `dist` is one folder deeper.
 */
export function readPackageVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('package.json was not found');
    folder = dirname(folder);
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return version;
}
