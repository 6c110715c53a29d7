/** The characters of the GSM 7-bit alphabet (3GPP TS 23.038), and those that take two places. */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const EXTENDED = new Set('^{}\\[~]|€\f');

/** Places in a text of one segment, and in each segment of a longer one, by alphabet. */
const GSM = { single: 160, part: 153 };
const UCS2 = { single: 70, part: 67 };

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Counts the segments in which carriers send and bill a text. A text with a character outside the
 * GSM alphabet is sent as UCS-2, with fewer characters in a segment. A character of several places
 * is never cut, so a segment may stay partly empty.
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

/** Splits a text into what people see as one character: an emoji may have several code points. */
function splitGraphemes(text: string): string[] {
  return [...graphemes.segment(text)].flatMap(({ segment }) =>
    segment === '\r\n' ? ['\r', '\n'] : [segment],
  );
}
