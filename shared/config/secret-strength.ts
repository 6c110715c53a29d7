/** Words that people use in placeholders. An attacker tries them first, so they add no bits. */
const PLACEHOLDER_WORDS =
  /change[-_ ]?me|secret|passw(?:or)?d|passphrase|example|default|replace|sample|insert|placeholder|openssl|rand|base64|qwerty|asdf|letmein|todo|test|key|tow/gi;

/**
 * The bits per character of prose. In NIST SP 800-63-1 (appendix A), every character after the
 * first counts at most this value. With this value, ten random words are a sufficient secret.
 */
const BITS_PER_PROSE_CHAR = 2;
/**
 * The bits of one pattern, whatever its length. A pattern is a repetition of earlier text, or a run
 * such as `abcd` or `9876`.
 */
const BITS_PER_PATTERN = 4;
const MIN_PATTERN_CHARS = 3;

/**
 * Estimates how many bits of a text an attacker must guess. If in doubt, the estimate is too low.
 * Placeholder words count zero, and each repetition or run counts little. A character of prose
 * counts two bits. Any other character counts log2 of the number of different characters in the
 * text.
 */
export function estimateSecretBits(text: string): number {
  const rest = text.replace(PLACEHOLDER_WORDS, '');
  const bitsPerChar = isProse(rest) ? BITS_PER_PROSE_CHAR : Math.log2(new Set(rest).size || 1);
  let bits = 0;
  for (let at = 0; at < rest.length; ) {
    const length = Math.max(measureRepetition(rest, at), measureRun(rest, at));
    const isPattern = length >= MIN_PATTERN_CHARS;
    bits += isPattern ? BITS_PER_PATTERN : bitsPerChar;
    at += isPattern ? length : 1;
  }
  return bits;
}

/**
 * True if the text looks like words. It must be mostly letters, and capitalized as words are. It
 * must also contain word separators or a typical share of vowels.
 */
function isProse(text: string): boolean {
  const runs = text.match(/[a-z]+/gi) ?? [];
  const letters = runs.join('');
  const digits = text.match(/\d/g)?.length ?? 0;
  const isCasedAsWords = runs.every((run) => /^[A-Z]?[a-z]*$|^[A-Z]+$/.test(run));
  if (!isCasedAsWords || letters.length < 0.8 * (letters.length + digits)) return false;
  const vowels = letters.match(/[aeiouy]/gi)?.length ?? 0;
  return /[a-z][^a-z0-9]+[a-z]/i.test(text) || vowels >= 0.35 * letters.length;
}

/** Returns the length of the longest text from `at` that also occurs earlier. */
function measureRepetition(text: string, at: number): number {
  let length = 0;
  while (at + length < text.length && text.slice(0, at + length).includes(text.slice(at, at + length + 1)))
    length += 1;
  return length;
}

/** Returns the length of a run such as `abc`, `cba` or `aaa` that starts at `at`. */
function measureRun(text: string, at: number): number {
  const step = text.charCodeAt(at + 1) - text.charCodeAt(at);
  if (!(Math.abs(step) <= 1)) return 0;
  let end = at + 1;
  while (text.charCodeAt(end + 1) - text.charCodeAt(end) === step) end += 1;
  return end - at + 1;
}
