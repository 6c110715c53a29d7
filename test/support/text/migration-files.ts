import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const FOLDER = fileURLToPath(new URL('../../../migrations/', import.meta.url));

export function listMigrationFiles(): string[] {
  return readdirSync(FOLDER)
    .filter((name) => /^\d/.test(name))
    .sort();
}

/**
 * Returns the SHA-256 of a migration's code without its comments. Migrations are frozen, but their
 * comments may still be improved.
 */
export function computeCodeChecksum(file: string): string {
  const tree = ts.createSourceFile(file, readFileSync(FOLDER + file, 'utf8'), ts.ScriptTarget.Latest);
  return createHash('sha256')
    .update(ts.createPrinter({ removeComments: true }).printFile(tree))
    .digest('hex');
}
