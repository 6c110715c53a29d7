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

/** Returns what a text asks for, if it is one such word alone, in any case and punctuation. */
export function readOptOutWord(text: string): 'STOP' | 'START' | 'HELP' | undefined {
  return WORDS[
    text
      .trim()
      .replace(/[.!?"']+$/g, '')
      .replace(/^["']+/g, '')
      .toLowerCase()
  ];
}
