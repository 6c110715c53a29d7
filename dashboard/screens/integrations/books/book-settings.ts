import { PUBLISHED_CATEGORY } from '../../../generated/vocabulary';

/** The settings of a connection to books. */
export interface BookSettings {
  /** Maps categories to the ids of income accounts. */
  accounts?: Readonly<Record<string, string>>;
  tax_codes?: { taxable?: string; exempt?: string };
  deposit_account?: string;
}

/** Lists the categories to map: first those that are used or mapped, then the published ones. */
export function listCategories({ accounts = {} }: BookSettings, used: readonly string[]): string[] {
  return [...new Set([...used, ...Object.keys(accounts), ...PUBLISHED_CATEGORY])];
}
