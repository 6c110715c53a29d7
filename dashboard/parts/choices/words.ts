/**
 * Returns the words of a generated vocabulary (dashboard/generate-vocabulary.mjs), in the same
 * sequence as the API.
 */
export function wordsOf<Word extends string>(vocabulary: Readonly<Record<Word, string>>): Word[] {
  return Object.keys(vocabulary) as Word[];
}
