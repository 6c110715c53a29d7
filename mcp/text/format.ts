/** A record or a page of records. */
export type JsonObject = Record<string, unknown>;

const MAX_QUOTED_CHARS = 60;

/**
 * Returns an untrusted text for use within one line. Removes line breaks, truncates the text, and
 * puts it in quotes that the text cannot close. The caller must put tags around the line
 * (mcp/text/untrusted-text.ts).
 */
export function quoteText(text: unknown, maxCharacters = MAX_QUOTED_CHARS): string {
  const characters = Array.from(
    String(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  );
  const isLong = characters.length > maxCharacters;
  const shown = isLong ? `${characters.slice(0, maxCharacters - 1).join('')}…` : characters.join('');
  return JSON.stringify(shown);
}

/** Formats an amount for display. Never calculate with the result. */
export function formatUsd(cents: unknown): string {
  return typeof cents === 'number' ? `$${(cents / 100).toFixed(2)}` : '$?';
}

/** Counts the items by the value of a member, for example "2 draft, 1 paid". */
export function countBy(items: JsonObject[], member: string): string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(String(item[member]), (counts.get(String(item[member])) ?? 0) + 1);
  return [...counts].map(([value, count]) => `${count} ${value}`).join(', ');
}
