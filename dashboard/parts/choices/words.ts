import { humanize } from '../record/status-badge';

/**
 * Returns the words of a generated vocabulary (dashboard/generate-vocabulary.mjs), in the same
 * sequence as the API.
 */
export function wordsOf<Word extends string>(vocabulary: Readonly<Record<Word, string>>): Word[] {
  return Object.keys(vocabulary) as Word[];
}

/**
 * Returns the options of a select for an open vocabulary: its published values, and the chosen
 * value if it is another one.
 */
export function withChosen(published: readonly string[], chosen: string) {
  const values = published.includes(chosen) ? published : [...published, chosen];
  return values.map((value) => ({ value, label: humanize(value) }));
}
