/** What Windows-1252, the encoding of PDF's standard fonts, holds beside ASCII and Latin-1. */
const EXTRA = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';

/** Letters that no decomposition brings to Latin. */
const REPLACED: Readonly<Record<string, string>> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  ı: 'i',
  '−': '-',
  '‐': '-',
  '‑': '-',
  '\u202f': ' ',
  '\u2009': ' ',
  '\t': ' ',
  // Kept: PDFKit breaks the line there.
  '\n': '\n',
  '\r': '',
};

function isEncodable(character: string): boolean {
  const code = character.codePointAt(0) as number;
  return (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff) || EXTRA.includes(character);
}

/**
 * Text that the standard fonts can show: other letters lose their marks (ą becomes a), what has no Latin form becomes a question mark. PDFKit would write
 * bytes that mean something else.
 */
export function toLatinText(text: string): string {
  return [...text.normalize('NFC')].map(toLatin).join('');
}

function toLatin(character: string): string {
  if (isEncodable(character)) return character;
  const replaced = REPLACED[character];
  if (replaced !== undefined) return replaced;
  const bare = [...character.normalize('NFKD')].filter((part) => !/\p{M}/u.test(part));
  return bare.length > 0 && bare.every(isEncodable) ? bare.join('') : '?';
}
