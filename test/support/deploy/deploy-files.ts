/** Reads the files of docs/deploy, and replaces what differs between machines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../docs/deploy');

/**
 * Times that the tests shorten, so that a failover takes some seconds: the text before the time,
 * the time of the file, then that of the tests. Patroni's are seconds, the sentinels' milliseconds.
 */
export const SHORTENED = {
  'patroni/patroni.yml': [
    ['ttl: ', 20, 8],
    ['loop_wait: ', 5, 1],
    ['retry_timeout: ', 5, 3],
  ],
  'redis/sentinel.conf': [
    ['down-after-milliseconds tow ', 5000, 500],
    ['failover-timeout tow ', 15_000, 1500],
  ],
} as const;

/** Whether the tests shorten times. With TEST_DEPLOY_TIMES=deployed they do not. */
export const areTimesShort = () => process.env.TEST_DEPLOY_TIMES !== 'deployed';

/** Builds the replacements that shorten the times of a file. */
export function buildTimes(name: keyof typeof SHORTENED): Record<string, string> {
  if (!areTimesShort()) return {};
  return Object.fromEntries(SHORTENED[name].map(([text, from, to]) => [`${text}${from}`, `${text}${to}`]));
}

/** What no replaced file may contain: a machine or a password of the example. */
const PLACEHOLDERS = /10\.0\.0\.\d+|change-me|\/(var|etc)\//;

/**
 * Returns the text of a file with all occurrences of each key replaced by its value.
 * @param name the path below docs/deploy, such as `patroni/patroni.yml`
 * @throws if the file lacks a key, or if a placeholder is left
 */
export function readDeployFile(name: string, replacements: Record<string, string>): string {
  return replaceAll(readFileSync(join(FOLDER, name), 'utf8'), replacements, name);
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
