/** Units that count nothing: "2 each", "3 flat". */
const UNCOUNTED = ['each', 'flat'];
const IRREGULAR: Readonly<Record<string, string>> = { foot: 'feet', person: 'people', man: 'men' };
/** An abbreviation such as mi, hr or lb has no plural. */
const LONGEST_ABBREVIATION = 2;

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });
const plurals = new Intl.PluralRules('en-US');

/** A quantity with its unit as a customer reads it: 1 mile, 7.5 miles, 2 quarter hours. */
export function quantityText(quantity: number, unitType: string): string {
  const unit = unitType.replaceAll('_', ' ');
  return `${numbers.format(quantity)} ${plurals.select(quantity) === 'one' ? unit : pluralOf(unit)}`;
}

/**
 * The plural of a unit by English spelling: units are an open vocabulary, so no list holds them
 * all.
 */
function pluralOf(unit: string): string {
  const word = unit.split(' ').at(-1) ?? '';
  if (UNCOUNTED.includes(unit) || word.length <= LONGEST_ABBREVIATION || /\d$/.test(word)) return unit;
  const start = unit.slice(0, unit.length - word.length);
  const irregular = IRREGULAR[word];
  if (irregular) return start + irregular;
  if (/[^aeiou]y$/.test(word)) return `${unit.slice(0, -1)}ies`;
  if (/(x|ch|sh|ss|z)$/.test(word)) return `${unit}es`;
  return word.endsWith('s') ? unit : `${unit}s`;
}
