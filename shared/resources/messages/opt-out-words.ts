/** The opt-out keywords that carriers and vendors recognize in texts. */
const WORDS: Readonly<Record<string, 'STOP' | 'START' | 'HELP'>> = {
  stop: 'STOP',
  stopall: 'STOP',
  unsubscribe: 'STOP',
  cancel: 'STOP',
  end: 'STOP',
  quit: 'STOP',
  start: 'START',
  yes: 'START',
  unstop: 'START',
  help: 'HELP',
  info: 'HELP',
};

/** The length of the longest keyword, with quotes and a full stop around it. */
const MAX_CHARS = 20;

/**
 * Returns the meaning of a text that consists of one opt-out keyword alone. Ignores case and
 * punctuation.
 */
export function readOptOutWord(text: string): 'STOP' | 'START' | 'HELP' | undefined {
  const word = text.trim();
  return word.length > MAX_CHARS ? undefined : WORDS[word.replace(/[^A-Za-z]/g, '').toLowerCase()];
}
