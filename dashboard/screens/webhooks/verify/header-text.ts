export const HEADER_NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

export type SignedHeaders = Record<(typeof HEADER_NAMES)[number], string>;

/**
 * Finds the three signature headers in a pasted text, which has lines of `name: value` or is a JSON
 * object. Returns undefined if the text has none of these headers.
 */
export function readHeaders(text: string): Partial<SignedHeaders> | undefined {
  const found = HEADER_NAMES.flatMap((name) => {
    const value = new RegExp(`["']?${name}["']?\\s*[:=]\\s*["']?([^"'\\r\\n]+)`, 'i').exec(text)?.[1];
    return value ? [[name, value.trim()] as const] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
