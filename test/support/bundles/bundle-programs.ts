import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../../bin/build/bundle.js';
import { PROJECT } from '../load/processes.js';

/** Where this process writes bundles. They are deleted when the process ends. */
const FOLDER = join(PROJECT, 'dist', 'test', `${process.pid}`);
const bundled = new Set<string>();

/**
 * Builds the command that runs the bundle of a program. A process takes three times as long to
 * start from the sources, and making the bundle takes a fraction of one such start.
 * @param program the path of a TypeScript file below the project's folder
 */
export function buildBundledCommand(program: string, ...args: string[]): string[] {
  bundlePrograms([program]);
  return ['node', join(FOLDER, program.replace(/\.ts$/, '.js')), ...args];
}

/** Bundles programs that a test runs, so that they share their code. */
export function bundlePrograms(programs: readonly string[]): void {
  const missing = programs.filter((program) => !bundled.has(program));
  if (missing.length === 0) return;
  if (bundled.size === 0) process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }));
  bundle(missing, FOLDER);
  for (const program of missing) bundled.add(program);
}
