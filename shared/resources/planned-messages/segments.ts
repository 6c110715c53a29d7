/**
 * The characters of the GSM 7-bit alphabet (3GPP TS 23.038). `BASIC` lists the characters that take
 * one place. The characters of its extension table take two places.
 */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENDED = new Set('^{}\\[~]|€\f');

/**
 * The number of places in a text that fits into one segment (`single`), and in each segment of a
 * longer text (`part`).
 */
const GSM = { single: 160, part: 153 };
const UCS2 = { single: 70, part: 67 };

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Counts the segments in which carriers send and bill a text. If a text contains a character
 * outside the GSM alphabet, carriers send it as UCS-2, with fewer characters per segment. Segments
 * never cut a character that takes several places, so a segment may have unused places.
 */
export function countSegments(text: string): number {
  const characters = [...text];
  const isGsm = characters.every((character) => BASIC.has(character) || EXTENDED.has(character));
  const sizes = isGsm
    ? characters.map((character) => (EXTENDED.has(character) ? 2 : 1))
    : splitGraphemes(text).map(({ length }) => length);
  const { single, part } = isGsm ? GSM : UCS2;
  if (sizes.reduce((sum, size) => sum + size, 0) <= single) return 1;
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > part) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return segments;
}

/**
 * Splits a text into the characters that people see. Such a character may have several code points;
 * an emoji is an example.
 */
function splitGraphemes(text: string): string[] {
  return [...graphemes.segment(text)].flatMap(({ segment }) =>
    segment === '\r\n' ? ['\r', '\n'] : [segment],
  );
}
