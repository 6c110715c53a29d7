/** What people write in place of a secret. Such a word adds nothing that an attacker must guess. */
const GIVEAWAYS =
  /change[-_ ]?me|secret|passw(?:or)?d|passphrase|example|default|replace|sample|insert|placeholder|openssl|rand|base64|qwerty|asdf|letmein|todo|test|key|tow/gi;

/**
 * A character of prose: what NIST SP 800-63-1 (appendix A) grants at most beyond the first, so that
 * ten random words pass for a secret.
 */
const BITS_OF_PROSE = 2;
/** A repetition of what came before, or a run such as `abcd` or `9876`, of whatever length. */
const BITS_OF_PATTERN = 4;
const MIN_PATTERN = 3;

/**
 * How many bits an attacker must guess of a text, estimated from the text alone and rather too low
 * than too high. Giveaway words count for nothing, repetitions and runs for little, characters of
 * prose for two bits, and any other character for what the number of different characters allows.
 */
export function estimateSecretBits(text: string): number {
  const rest = text.replace(GIVEAWAYS, '');
  const bitsOfOne = isProse(rest) ? BITS_OF_PROSE : Math.log2(new Set(rest).size || 1);
  let bits = 0;
  for (let at = 0; at < rest.length; ) {
    const length = Math.max(lengthOfRepetition(rest, at), lengthOfRun(rest, at));
    const isPattern = length >= MIN_PATTERN;
    bits += isPattern ? BITS_OF_PATTERN : bitsOfOne;
    at += isPattern ? length : 1;
  }
  return bits;
}

/**
 * Words: mostly letters, cased as words are, with spaces or dashes between them or as many vowels
 * as words have.
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

/** How many characters from here on stand somewhere before as well, in the same order. */
function lengthOfRepetition(text: string, at: number): number {
  let length = 0;
  while (at + length < text.length && text.slice(0, at + length).includes(text.slice(at, at + length + 1)))
    length += 1;
  return length;
}

/**
 * How many characters from here on differ from the one before by the same step: up, down or not at
 * all.
 */
function lengthOfRun(text: string, at: number): number {
  const step = text.charCodeAt(at + 1) - text.charCodeAt(at);
  if (!(Math.abs(step) <= 1)) return 0;
  let end = at + 1;
  while (text.charCodeAt(end + 1) - text.charCodeAt(end) === step) end += 1;
  return end - at + 1;
}
