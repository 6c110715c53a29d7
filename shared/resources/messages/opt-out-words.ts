/** The words of carriers and vendors with which a number ends texts, or accepts them again. */
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

/** The longest word of carriers, with quotes and a full stop around it. */
const MAX_CHARS = 20;

/** Returns what a text asks for, if it is one such word alone, in any case and punctuation. */
export function readOptOutWord(text: string): 'STOP' | 'START' | 'HELP' | undefined {
  const word = text.trim();
  return word.length > MAX_CHARS ? undefined : WORDS[word.replace(/[^A-Za-z]/g, '').toLowerCase()];
}
