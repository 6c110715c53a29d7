/** A value in the body of a request to Stripe. */
export type FormValue = string | number | boolean | undefined | FormValue[] | { [name: string]: FormValue };

/**
 * Encodes a body for Stripe: nested objects and arrays become names such as
 * `line_items[0][quantity]`. Omits undefined values.
 */
export function encodeForm(body: Record<string, FormValue>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) append(pairs, name, value);
  return pairs.toString();
}

function append(pairs: URLSearchParams, name: string, value: FormValue): void {
  if (value === undefined) return;
  if (typeof value === 'object')
    for (const [key, member] of Object.entries(value)) append(pairs, `${name}[${key}]`, member);
  else pairs.append(name, String(value));
}
