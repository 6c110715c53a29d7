/**
 * Characters of JSON that one answer of many records may have: some 16,000 tokens. Clients cut at 25,000, and a model that is given more reads none of it well.
 */
export const ROOM = 50_000;

/**
 * Bytes of the items of one page; a model goes on with the cursor. Far below REST's bound: every
 * agent's page is parsed here.
 */
export const MAX_LIST_BYTES = 256 * 1024;

/**
 * The first of each list, one from each in turn, as long as there is room; what comes first is what matters most. At least one item is let through.
 * @param room characters of JSON
 */
export function fitting<Name extends string>(
  lists: Readonly<Record<Name, readonly unknown[]>>,
  room = ROOM,
): Record<Name, unknown[]> {
  const names = Object.keys(lists) as Name[];
  const shown = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, unknown[]>;
  const open = new Set(names);
  let left = room;
  for (let nth = 0; open.size > 0; nth += 1) {
    for (const name of open) {
      const list = lists[name];
      const size = nth < list.length ? JSON.stringify(list[nth]).length + 1 : Number.POSITIVE_INFINITY;
      const isFirst = nth === 0 && nth < list.length && left === room;
      if (size > left && !isFirst) open.delete(name);
      else {
        shown[name].push(list[nth]);
        left -= size;
      }
    }
  }
  return shown;
}
