import { humanize } from './status-badge';

/**
 * Returns the options of a select for an open vocabulary: its published values, and the chosen
 * value if it is another one.
 */
export function withChosen(published: readonly string[], chosen: string) {
  const values = published.includes(chosen) ? published : [...published, chosen];
  return values.map((value) => ({ value, label: humanize(value) }));
}
