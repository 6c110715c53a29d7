import bidiFactory, { type Bidi } from 'bidi-js';
import type { Face, FontStack, Letter } from './fonts.js';

/** Letters of one word in one font. */
export interface Run {
  face: Face;
  text: string;
}

/** What is drawn in one piece: a word, a blank or an ideograph. */
export interface Word {
  runs: Run[];
  /** In thousandths of the font's size. */
  width: number;
  isBlank: boolean;
  /** Odd: it is read from right to left (Unicode Bidirectional Algorithm). */
  level: number;
}

// The package exports the function itself; its types promise a default export.
const bidi = (bidiFactory as unknown as () => Bidi)();

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/** Controls of layout, marks of direction and selectors of emoji: they show nothing by themselves. */
const INVISIBLE = /\p{Cc}|\p{Cf}|\p{Variation_Selector}/gu;
/** A line may break around these letters. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** A line may break after these. */
const BREAK_AFTER = /[-/\u2010\u2013\u2014,;]/;
const MARK = /\p{M}/u;

/**
 * Breaks a text into lines of words.
 * @param width of a line, in thousandths of the font's size
 * @param maxLines the rest is cut off and marked by …
 */
export function breakLines(
  text: string,
  {
    fonts,
    width,
    maxLines = Number.POSITIVE_INFINITY,
  }: { fonts: FontStack; width: number; maxLines?: number },
): Word[][] {
  const lines: Word[][] = [];
  for (const paragraph of text.normalize('NFC').split(/\r\n?|\n/)) {
    const words = splitWords(paragraph.replaceAll('\t', ' ').replace(INVISIBLE, ''), fonts);
    for (const line of fillLines(words, width)) {
      if (lines.length === maxLines)
        return [...lines.slice(0, -1), cutLine(lines.at(-1) ?? [], { fonts, width })];
      lines.push(line);
    }
  }
  return lines;
}

function splitWords(text: string, fonts: FontStack): Word[] {
  const levels = RIGHT_TO_LEFT.test(text) ? bidi.getEmbeddingLevels(text, 'auto').levels : undefined;
  const words: Word[] = [];
  let open: { letters: Letter[]; level: number; isBlank: boolean } | undefined;
  const close = () => {
    if (open) words.push(wordOf(open.letters, open));
    open = undefined;
  };
  let index = 0;
  for (const character of text) {
    const level = levels?.[index] ?? 0;
    index += character.length;
    const isBlank = character === ' ' || character === '\u00a0';
    const isMark = MARK.test(character);
    const isAlone = IDEOGRAPH.test(character);
    if (open && !isMark && (open.level !== level || open.isBlank !== isBlank || isAlone)) close();
    open ??= { letters: [], level, isBlank };
    const shown = (level % 2 === 1 && bidi.getMirroredCharacter(character)) || character;
    open.letters.push(fonts.letterFor(shown.codePointAt(0) as number));
    if (isAlone || BREAK_AFTER.test(character)) close();
  }
  close();
  return words;
}

function wordOf(letters: Letter[], { level, isBlank }: { level: number; isBlank: boolean }): Word {
  const runs: Run[] = [];
  let width = 0;
  for (const { text, face, width: letterWidth } of letters) {
    const last = runs.at(-1);
    if (last?.face === face) last.text += text;
    else runs.push({ face, text });
    width += letterWidth;
  }
  return { runs, width, isBlank, level };
}

/** Fills lines from left to right; a word wider than a line is broken. Blanks at the end of a line are dropped. */
function* fillLines(words: Word[], width: number): Generator<Word[]> {
  let line: Word[] = [];
  let used = 0;
  for (const word of words.flatMap((one) => (one.width > width ? breakWord(one, width) : [one]))) {
    if (used + word.width > width && line.length > 0) {
      yield trimEnd(line);
      line = [];
      used = 0;
    }
    if (word.isBlank && line.length === 0) continue;
    line.push(word);
    used += word.width;
  }
  yield trimEnd(line);
}

function trimEnd(line: Word[]): Word[] {
  return line.at(-1)?.isBlank ? line.slice(0, -1) : line;
}

/** Parts of a word that fit a line each. A mark stays with its letter. */
function breakWord({ runs, level, isBlank }: Word, width: number): Word[] {
  const parts: Word[] = [];
  let letters: Letter[] = [];
  let used = 0;
  for (const { face, text } of runs)
    for (const character of text) {
      const letterWidth = widthIn(face, character);
      if (used + letterWidth > width && letters.length > 0 && !MARK.test(character)) {
        parts.push(wordOf(letters, { level, isBlank }));
        letters = [];
        used = 0;
      }
      letters.push({ text: character, face, width: letterWidth });
      used += letterWidth;
    }
  return [...parts, wordOf(letters, { level, isBlank })];
}

function widthIn({ font }: Face, character: string): number {
  return (font.glyphForCodePoint(character.codePointAt(0) as number).advanceWidth * 1000) / font.unitsPerEm;
}

/** The line with … at its end, in place of what does not fit beside it. */
function cutLine(line: Word[], { fonts, width }: { fonts: FontStack; width: number }): Word[] {
  const [ellipsis] = splitWords('…', fonts) as [Word];
  const kept = [...line];
  while (kept.length > 0 && widthOf(kept) + ellipsis.width > width) kept.pop();
  return [...trimEnd(kept), ellipsis];
}

export function widthOf(line: readonly Word[]): number {
  return line.reduce((sum, word) => sum + word.width, 0);
}

/** The words of a line from left to right (Unicode Bidirectional Algorithm, rule L2). */
export function visualOrder(line: Word[]): Word[] {
  const words = [...line];
  const highest = Math.max(0, ...words.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < words.length; start += 1) {
      if ((words[start] as Word).level < level) continue;
      let end = start;
      while (end < words.length && (words[end] as Word).level >= level) end += 1;
      words.splice(start, end - start, ...words.slice(start, end).reverse());
      start = end;
    }
  }
  return words;
}
