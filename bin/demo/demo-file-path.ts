import { join } from 'node:path';

/** Returns the path where `npm start` writes the demo's addresses and credentials. */
export function getDemoFilePath(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
