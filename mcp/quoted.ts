/** Characters of a text that a line shows. */
const MAX_QUOTED = 60;

/**
 * A text of others for one line of an answer: on one line, truncated and in quotes that it cannot
 * close. A line with it still belongs between marks (fence.ts).
 */
export function quoted(text: unknown, maxCharacters = MAX_QUOTED): string {
  const characters = Array.from(
    String(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  );
  const isLong = characters.length > maxCharacters;
  const shown = isLong ? `${characters.slice(0, maxCharacters - 1).join('')}…` : characters.join('');
  return JSON.stringify(shown);
}
