/** Units without a plural: "2 each", "3 flat". */
const UNITS_WITHOUT_PLURAL = ['each', 'flat'];
const IRREGULAR: Readonly<Record<string, string>> = { foot: 'feet', person: 'people', man: 'men' };
/** Abbreviations up to this length, such as mi, hr or lb, have no plural. */
const MAX_ABBREVIATION_CHARS = 2;

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });
const plurals = new Intl.PluralRules('en-US');

/** Formats a quantity for customers: 1 mile, 7.5 miles, 2 quarter hours. */
export function formatQuantity(quantity: number, unitType: string): string {
  const unit = unitType.replaceAll('_', ' ');
  return `${numbers.format(quantity)} ${plurals.select(quantity) === 'one' ? unit : pluralize(unit)}`;
}

/**
 * Forms the plural by the rules of English spelling. A list of plurals would never be complete,
 * because clients choose units freely.
 */
function pluralize(unit: string): string {
  const word = unit.split(' ').at(-1) ?? '';
  if (UNITS_WITHOUT_PLURAL.includes(unit) || word.length <= MAX_ABBREVIATION_CHARS || /\d$/.test(word))
    return unit;
  const start = unit.slice(0, unit.length - word.length);
  const irregular = IRREGULAR[word];
  if (irregular) return start + irregular;
  if (/[^aeiou]y$/.test(word)) return `${unit.slice(0, -1)}ies`;
  if (/(x|ch|sh|ss|z)$/.test(word)) return `${unit}es`;
  return word.endsWith('s') ? unit : `${unit}s`;
}
