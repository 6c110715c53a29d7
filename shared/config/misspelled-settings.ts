import { SETTING_NAMES } from './settings.js';

/**
 * Shorter names are not checked, because HOST and PORT resemble common variables such as HOME, POST
 * and PATH.
 */
const SHORTEST_NAME = 7;

/**
 * Returns a sentence for each environment variable whose name is almost the name of a setting.
 * Without this warning, a process would silently use the default. If a setting is set, similar
 * names cause no warning, because some platforms set REDIS_URI beside REDIS_URL.
 */
export function findMisspelledSettings(environment: Record<string, string | undefined>): string[] {
  const unset = SETTING_NAMES.filter((name) => name.length >= SHORTEST_NAME && !environment[name]);
  return Object.keys(environment)
    .filter((name) => !SETTING_NAMES.includes(name))
    .flatMap((name) => {
      const meant = unset.find((candidate) => isNear(name.toUpperCase(), candidate));
      return meant ? [`${name} is not a setting: did you mean ${meant}?`] : [];
    });
}

/**
 * True if the names differ by one edit, or by up to two edits for a setting of twelve or more
 * characters.
 */
function isNear(name: string, setting: string): boolean {
  return countEdits(name, setting) <= (setting.length < 12 ? 1 : 2);
}

/** Counts the letters to insert, delete, replace or swap (optimal string alignment distance). */
function countEdits(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 2) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped && row > 1 && column > 1 ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
