/**
 * The characters that a model reads but a person cannot see. These are direction overrides,
 * zero-width characters, tags and fillers (Unicode property Default_Ignorable_Code_Point), and
 * annotation marks.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]+/gu;
/**
 * The invisible joiners U+200C and U+200D. Names in Persian or Hindi and joined emoji need them.
 */
const JOINER = /[\u200C\u200D]/u;
/**
 * A variation selector at the start of a run of invisible characters. It sets how the preceding
 * character is drawn. Emoji and Japanese names need such a selector. A second selector in a row has
 * no visible effect.
 */
const SELECTOR = /^[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/u;
/** A JSON escape. Group 1 is a surrogate pair, group 2 the four hex digits of a single `\u`. */
const ESCAPE = /\\(?:(u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|.)/gu;

const FIRST_NON_ASCII = 0x80;

/**
 * Removes invisible characters, because a long run of them can spell out a hidden text. Keeps at
 * most one variation selector and one joiner of each run.
 * @param json JSON as PostgreSQL or JSON.stringify writes it; the result is JSON of the same shape
 */
export function stripInvisibleCharacters(json: string): string {
  // An escape such as `\u202e` stands for an invisible character, so decode escapes first.
  const plain = json.includes('\\u') ? json.replace(ESCAPE, decodeEscape) : json;
  return plain.replace(INVISIBLE, (run) => `${SELECTOR.exec(run)?.[0] ?? ''}${JOINER.exec(run)?.[0] ?? ''}`);
}

/**
 * Decodes a JSON escape. ASCII characters (quotes, control characters) and lone surrogates stay
 * escaped, so that the JSON stays valid.
 */
function decodeEscape(written: string, pair: string | undefined, one: string | undefined): string {
  if (pair !== undefined) return JSON.parse(`"${written}"`) as string;
  const code = Number.parseInt(one ?? '0', 16);
  const isHalf = code >= 0xd800 && code <= 0xdfff;
  return code < FIRST_NON_ASCII || isHalf ? written : String.fromCharCode(code);
}
