import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the secret key of a development machine, where SECRET_KEY is not set. The first process
 * generates the secret and stores it in DATA_DIR for all processes.
 */
export function loadDevelopmentSecret(dataDir: string): string {
  const path = join(dataDir, 'secret-key');
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, randomBytes(48).toString('base64'), { mode: 0o600 });
    try {
      // link() creates the complete file in one step, so no process reads a half-written secret.
      linkSync(draft, path);
    } catch (error) {
      // If another process created the secret at the same time, use that secret.
      if (!existsSync(path)) throw error;
    } finally {
      unlinkSync(draft);
    }
  }
  return readFileSync(path, 'utf8').trim();
}
