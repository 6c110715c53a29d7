/**
 * Decodes a form body or a query: `line_items[0][quantity]=1` becomes nested objects and arrays.
 */
export function decodeForm(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.split('[').map((part) => part.replace(/\]$/, ''));
    place(root, [first, ...rest], value);
  }
  return toArrays(root) as Record<string, unknown>;
}

function place(target: Record<string, unknown>, [name = '', ...rest]: string[], value: string): void {
  const key = name === '' ? String(Object.keys(target).length) : name;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  target[key] ??= {};
  place(target[key] as Record<string, unknown>, rest, value);
}

/** Converts each object whose member names are 0, 1, 2 … to an array. */
function toArrays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, toArrays(member)] as const);
  const isArray = entries.length > 0 && entries.every(([name], index) => name === String(index));
  return isArray ? entries.map(([, member]) => member) : Object.fromEntries(entries);
}
