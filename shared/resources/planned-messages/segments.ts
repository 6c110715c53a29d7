/** The characters of the GSM 7-bit alphabet (3GPP TS 23.038), and those that take two places. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '^{}\\[~]|€\f';

/**
 * Counts the segments in which carriers send and bill a text. A text with a character outside the
 * GSM alphabet is sent as UCS-2, with fewer characters in a segment.
 */
export function countSegments(text: string): number {
  const characters = [...text];
  const isGsm = characters.every((character) => BASIC.includes(character) || EXTENDED.includes(character));
  const length = isGsm
    ? characters.length + characters.filter((character) => EXTENDED.includes(character)).length
    : text.length;
  const [single, part] = isGsm ? [160, 153] : [70, 67];
  return length <= single ? 1 : Math.ceil(length / part);
}
