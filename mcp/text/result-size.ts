/**
 * Maximum characters of JSON in one result with many records, about 16,000 tokens. Clients truncate
 * results at 25,000 tokens, and a model reads a longer result poorly.
 */
export const MAX_RESULT_CHARS = 50_000;

/**
 * Maximum bytes of a page's items. A model gets further items with the cursor. The limit is far
 * below that of REST, because this process parses every page for agents.
 */
export const MAX_LIST_BYTES = 256 * 1024;

/**
 * Truncates lists, each sorted by importance, to a total size. Takes the first item of each list,
 * then the second of each, and so on. A list ends before its first item that does not fit. The
 * result has at least one item, however large.
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
