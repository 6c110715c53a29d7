/** Reads the files of docs/deploy/patroni, and replaces what differs between machines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../processes.js';

/**
 * Seconds that the test shortens, so that a failover takes some seconds: those of the file, then
 * those of the test. With TEST_PATRONI_TIMES=deployed it keeps those of the file.
 */
export const SHORTENED = { ttl: [20, 8], loop_wait: [5, 1], retry_timeout: [5, 3] } as const;

export function buildTimes(): Record<string, string> {
  if (process.env.TEST_PATRONI_TIMES === 'deployed') return {};
  const times = Object.entries(SHORTENED);
  return Object.fromEntries(times.map(([name, [from, to]]) => [`${name}: ${from}`, `${name}: ${to}`]));
}

/** What no replaced file may contain: a machine or a password of the example. */
const PLACEHOLDERS = /10\.0\.0\.\d+|change-me|\/(var|etc)\//;

/**
 * Returns the text of a file with all occurrences of each key replaced by its value.
 * @throws if the file lacks a key, or if a placeholder is left
 */
export function readDeployFile(name: string, replacements: Record<string, string>): string {
  return replaceAll(readFileSync(join(PROJECT, 'docs/deploy/patroni', name), 'utf8'), replacements, name);
}

/** Does what {@link readDeployFile} does to a text. */
export function replaceAll(text: string, replacements: Record<string, string>, name: string): string {
  let replaced = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`${name} has no "${from}" to replace`);
    replaced = replaced.replaceAll(from, to);
  }
  const left = replaced.split('\n').find((line) => !/^\s*#/.test(line) && PLACEHOLDERS.test(line));
  if (left) throw new Error(`${name} still has a placeholder: ${left.trim()}`);
  return replaced;
}
