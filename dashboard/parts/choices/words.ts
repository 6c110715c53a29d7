/**
 * Returns the words of a vocabulary in dashboard/generated/vocabulary.ts, in the API's sequence.
 */
export function wordsOf<Word extends string>(vocabulary: Readonly<Record<Word, string>>): Word[] {
  return Object.keys(vocabulary) as Word[];
}
