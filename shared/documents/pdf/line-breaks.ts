import { bidi } from './bidi.js';
import type { FontCharacter, FontStack } from './fonts.js';
import type { ShapedFont } from './shaped-font.js';

export interface TextRun {
  font: ShapedFont;
  text: string;
  /** In thousandths of the font size. */
  width: number;
}

/** A part of a line between two possible line breaks: a word, a space or an ideograph. */
export interface LayoutWord {
  runs: TextRun[];
  /** In thousandths of the font size. */
  width: number;
  isBlank: boolean;
  /** Embedding level; odd for right-to-left text (Unicode Bidirectional Algorithm). */
  level: number;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;
/**
 * Invisible characters to remove: layout controls, direction marks and emoji variation selectors.
 * Zero-width spaces and joiners stay, because they control line breaks and how characters join.
 */
const INVISIBLE = /(?![\u200b-\u200d])[\p{Cc}\p{Cf}\p{Variation_Selector}]/gu;
const ZERO_WIDTH_SPACE = '\u200b';
const JOINER = /[\u200c\u200d]/;
/** A line may break before and after these characters. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/**
 * A line may break after these characters. The last two end a Tibetan syllable and an Ethiopic
 * word.
 */
const BREAK_AFTER = /[-/\u2010\u2013\u2014,;\u0f0b\u1361]/;
/** Scripts without spaces between words. `DICTIONARY` knows where words start in these scripts. */
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/**
 * A Burmese consonant that ends a syllable. `DICTIONARY` mistakes some of these consonants for the
 * start of a word.
 */
const SYLLABLE_END = /^[\u1000-\u1021]\u1037?[\u1039\u103a]/;
const MARK = /\p{M}/u;

const DICTIONARY = new Intl.Segmenter('en', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Breaks a text into lines.
 * @param width width of a line, in thousandths of the font size
 * @param maxLines if the text has more lines, the rest is dropped and the last kept line gets an
 * ellipsis
 */
export function breakLines(
  text: string,
  {
    fonts,
    width,
    maxLines = Number.POSITIVE_INFINITY,
  }: { fonts: FontStack; width: number; maxLines?: number },
): LayoutWord[][] {
  const lines: LayoutWord[][] = [];
  for (const paragraph of text.normalize('NFC').split(/\r\n?|\n/)) {
    const words = splitWords(paragraph.replaceAll('\t', ' ').replace(INVISIBLE, ''), fonts);
    for (const line of fillLines(words, width)) {
      if (lines.length === maxLines)
        return [...lines.slice(0, -1), truncateLine(lines.at(-1) ?? [], { fonts, width })];
      lines.push(line);
    }
  }
  return lines;
}

/**
 * Splits a text into words and shapes them. This function is a generator, so words that the
 * truncation drops are never shaped.
 */
function* splitWords(text: string, fonts: FontStack): Generator<LayoutWord> {
  const levels = RIGHT_TO_LEFT.test(text) ? bidi.getEmbeddingLevels(text, 'auto').levels : undefined;
  const wordStarts = UNSPACED.test(text) ? wordStartsIn(text) : undefined;
  let open: { letters: FontCharacter[]; level: number; isBlank: boolean } | undefined;
  let before: FontCharacter | undefined;
  let next = 0;
  for (const character of text) {
    const index = next;
    next += character.length;
    const level = levels?.[index] ?? 0;
    if (JOINER.test(character)) {
      if (before) open?.letters.push({ text: character, font: before.font });
      continue;
    }
    const isBlank = character === ' ' || character === '\u00a0' || character === ZERO_WIDTH_SPACE;
    const isIdeograph = IDEOGRAPH.test(character);
    const isWordEnd = open && (open.level !== level || open.isBlank !== isBlank);
    if (open && !MARK.test(character) && (isWordEnd || isIdeograph || wordStarts?.has(index))) {
      yield shapeWord(open.letters, open);
      open = undefined;
    }
    if (character === ZERO_WIDTH_SPACE) continue;
    open ??= { letters: [], level, isBlank };
    before = fonts.letterFor(character.codePointAt(0) as number, before);
    open.letters.push(before);
    if (!isIdeograph && !BREAK_AFTER.test(character)) continue;
    yield shapeWord(open.letters, open);
    open = undefined;
  }
  if (open) yield shapeWord(open.letters, open);
}

function wordStartsIn(text: string): Set<number> {
  const starts = new Set<number>();
  for (const { segment, index } of DICTIONARY.segment(text)) {
    const isWord = UNSPACED.test(segment) && !SYLLABLE_END.test(segment);
    if (isWord && /[\p{L}\p{M}\p{N}]/u.test(text.charAt(index - 1))) starts.add(index);
  }
  return starts;
}

function shapeWord(
  letters: FontCharacter[],
  { level, isBlank }: { level: number; isBlank: boolean },
): LayoutWord {
  const runs: TextRun[] = [];
  for (const { text, font } of letters) {
    const last = runs.at(-1);
    if (last?.font === font) last.text += text;
    else runs.push({ font, text, width: 0 });
  }
  for (const run of runs) run.width = run.font.measureText(run.text, level % 2 === 1);
  return { runs, width: runs.reduce((sum, run) => sum + run.width, 0), isBlank, level };
}

/** Puts words into lines. Drops spaces at the start and at the end of a line. */
function* fillLines(words: Iterable<LayoutWord>, width: number): Generator<LayoutWord[]> {
  let line: LayoutWord[] = [];
  let used = 0;
  for (const word of breakLongWords(words, width)) {
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

function trimEnd(line: LayoutWord[]): LayoutWord[] {
  return line.at(-1)?.isBlank ? line.slice(0, -1) : line;
}

function* breakLongWords(words: Iterable<LayoutWord>, width: number): Generator<LayoutWord> {
  for (const word of words)
    if (word.width > width) yield* breakWord(word, width);
    else yield word;
}

/** Breaks a word that is wider than a line. A combining mark stays with its character. */
function* breakWord({ runs, level, isBlank }: LayoutWord, width: number): Generator<LayoutWord> {
  let letters: FontCharacter[] = [];
  let used = 0;
  for (const { font, text } of runs)
    for (const { segment } of GRAPHEMES.segment(text)) {
      const segmentWidth = font.measureText(segment, level % 2 === 1);
      if (used + segmentWidth > width && letters.length > 0) {
        yield shapeWord(letters, { level, isBlank });
        letters = [];
        used = 0;
      }
      letters.push({ text: segment, font });
      used += segmentWidth;
    }
  yield shapeWord(letters, { level, isBlank });
}

/** Ends a line with … and drops the words that no longer fit. */
function truncateLine(
  line: LayoutWord[],
  { fonts, width }: { fonts: FontStack; width: number },
): LayoutWord[] {
  const [ellipsis] = [...splitWords('…', fonts)] as [LayoutWord];
  const kept = [...line];
  while (kept.length > 0 && measureLine(kept) + ellipsis.width > width) kept.pop();
  return [...trimEnd(kept), ellipsis];
}

export function measureLine(line: readonly LayoutWord[]): number {
  return line.reduce((sum, word) => sum + word.width, 0);
}

/**
 * Returns the words in the order in which they are drawn, from left to right (Unicode Bidirectional
 * Algorithm, rule L2).
 */
export function sortVisually(line: LayoutWord[]): LayoutWord[] {
  const words = [...line];
  const highest = Math.max(0, ...words.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < words.length; start += 1) {
      if ((words[start] as LayoutWord).level < level) continue;
      let end = start;
      while (end < words.length && (words[end] as LayoutWord).level >= level) end += 1;
      words.splice(start, end - start, ...words.slice(start, end).reverse());
      start = end;
    }
  }
  return words;
}
