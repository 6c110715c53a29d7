/**
 * Maximum number of characters of JSON in one result with many records. This is about 16,000
 * tokens. Clients truncate results at 25,000 tokens, and models read longer results poorly.
 */
export const MAX_RESULT_CHARS = 50_000;

/**
 * Maximum number of bytes of a page's items. A model gets further items with the cursor. The limit
 * is far below that of REST, because this process parses every page for agents.
 */
export const MAX_LIST_BYTES = 256 * 1024;

/**
 * Truncates lists to a total size. Each list must be sorted by importance. Takes the first item of
 * each list, then the second of each, and so on. A list ends before its first item that does not
 * fit. The very first item is always taken, even if it is too large.
 * @param maxChars characters of JSON
 */
export function truncateLists<Name extends string>(
  lists: Readonly<Record<Name, readonly unknown[]>>,
  maxChars = MAX_RESULT_CHARS,
): Record<Name, unknown[]> {
  const names = Object.keys(lists) as Name[];
  const shown = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, unknown[]>;
  const open = new Set(names);
  let charsLeft = maxChars;
  for (let index = 0; open.size > 0; index += 1) {
    for (const name of open) {
      const list = lists[name];
      const size = index < list.length ? JSON.stringify(list[index]).length + 1 : Number.POSITIVE_INFINITY;
      const isFirst = index === 0 && index < list.length && charsLeft === maxChars;
      if (size > charsLeft && !isFirst) open.delete(name);
      else {
        shown[name].push(list[index]);
        charsLeft -= size;
      }
    }
  }
  return shown;
}
