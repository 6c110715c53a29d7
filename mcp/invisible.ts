/**
 * Characters that a reader does not see and a model does: overrides of direction, zero widths, tags, fillers (Unicode: Default_Ignorable_Code_Point), and
 * marks of annotations.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]+/gu;
/** U+200C and U+200D: names in Persian or Hindi and joined emoji need them. */
const JOINER = /[\u200C\u200D]/u;
/** How the character before is drawn: emoji, names in Japanese. Two in a row mean nothing to anybody who looks. */
const SELECTOR = /^[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/u;
/** An escape of JSON; the first group is a pair of surrogates, the second one character. */
const ESCAPE = /\\(?:(u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|.)/gu;

const FIRST_NON_ASCII = 0x80;

/**
 * Without what only a model would read. Of a run of invisible characters one selector and one joiner stay, as long runs of them can spell out a text.
 * @param json JSON as PostgreSQL or JSON.stringify writes it; it remains JSON of the same shape
 */
export function withoutInvisible(json: string): string {
  // An escape says the same as its character: `\u202e` must not get past.
  const plain = json.includes('\\u') ? json.replace(ESCAPE, unescaped) : json;
  return plain.replace(INVISIBLE, (run) => `${SELECTOR.exec(run)?.[0] ?? ''}${JOINER.exec(run)?.[0] ?? ''}`);
}

/** Characters for escapes; quotes, controls and halves of a pair stay escaped: the text must remain JSON, and well-formed. */
function unescaped(written: string, pair: string | undefined, one: string | undefined): string {
  if (pair !== undefined) return JSON.parse(`"${written}"`) as string;
  const code = Number.parseInt(one ?? '0', 16);
  const isHalf = code >= 0xd800 && code <= 0xdfff;
  return code < FIRST_NON_ASCII || isHalf ? written : String.fromCharCode(code);
}
