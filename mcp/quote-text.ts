const MAX_QUOTED_CHARS = 60;

/**
 * Quotes an untrusted text for use within one line: without line breaks, truncated, and in quotes
 * that the text cannot close. The line still needs tags around it (mcp/untrusted-text.ts).
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
