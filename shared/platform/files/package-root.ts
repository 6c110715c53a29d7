import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the folder of the nearest package.json above this file. The function searches upwards,
 * because in a build, the code of this file is in `dist/chunks`.
 */
export function findPackageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('package.json was not found');
    folder = dirname(folder);
  }
  return folder;
}
