import { readFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/scaling.md', import.meta.url);

/** What an exception of docs/scaling.md concerns. */
type ExceptionKind = 'table' | 'foreign key' | 'query' | 'function';

/** Both lists are empty if docs/scaling.md is correct. */
export const NO_DIFFERENCE = { unlisted: [], stale: [] };

/**
 * Compares what a test found with the exceptions of one kind in docs/scaling.md, which is their
 * only list. An exception that ends with `*` stands for every name with this beginning.
 * @returns what is not listed, and which exceptions do not apply
 */
export function compareWithExceptions(kind: ExceptionKind, found: readonly string[]) {
  const listed = listExceptions(kind);
  const covers = (exception: string, name: string) =>
    exception.endsWith('*') ? name.startsWith(exception.slice(0, -1)) : name === exception;
  return {
    unlisted: found.filter((name) => !listed.some((exception) => covers(exception, name))),
    stale: listed.filter((exception) => !found.some((name) => covers(exception, name))),
  };
}

/** @throws {Error} if an exception has no reason, or does not say what it would need */
function listExceptions(kind: ExceptionKind): string[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (table|foreign key|query|function) \|(.*)\|$/gm);
  return [...rows].flatMap(([row, ofKind, rest = '']) => {
    const [names = '', reason, need] = rest.split('|').map((cell) => cell.trim());
    if (!reason || !need) throw new Error(`docs/scaling.md: a cell is empty in ${row}`);
    return ofKind === kind ? [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string) : [];
  });
}
