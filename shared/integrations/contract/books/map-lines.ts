import type { AccountingSettings, BookInvoice, BookLine } from '../accounting.js';
import { VendorError } from '../vendor-error.js';

export type MappedLine = BookLine & { account: string };

/** What a vendor accepts as the number of an invoice. */
export interface NumberLimit {
  /** The vendor's name for people. */
  label: string;
  maxNumber: number;
}

/**
 * Finds the income account of each line.
 * @throws {VendorError} if the settings miss an account or a tax code, so that a person must act
 */
export function mapLines(
  invoice: BookInvoice,
  { accounts = {}, tax_codes = {} }: AccountingSettings,
  { label, maxNumber }: NumberLimit,
): MappedLine[] {
  const missing = new Set(
    invoice.lines.map(({ category }) => category).filter((category) => !Object.hasOwn(accounts, category)),
  );
  if (missing.size > 0)
    throw new VendorError(
      `The settings of the connection name no income account for ${[...missing].join(', ')}. Choose one, then resolve this with retry.`,
      { kind: 'refused', code: 'no_account' },
    );
  if (invoice.taxCents > 0 && tax_codes.taxable === undefined)
    throw new VendorError(
      'The settings of the connection name no tax code for taxed lines. Choose one, then resolve this with retry.',
      { kind: 'refused', code: 'no_tax_code' },
    );
  if (invoice.number.length > maxNumber)
    throw new VendorError(
      `The number ${invoice.number} is longer than the ${maxNumber} characters that ${label} accepts. Enter this invoice there yourself.`,
      { kind: 'refused', code: 'number_too_long' },
    );
  const lines = invoice.lines.length > 0 ? invoice.lines : [buildEmptyLine(accounts)];
  return lines.map((line) => ({ ...line, account: accounts[line.category] as string }));
}

/**
 * Builds the line of an invoice that has none, because the vendors accept no invoice without lines.
 * @throws {VendorError} if the settings name no account at all
 */
function buildEmptyLine(accounts: NonNullable<AccountingSettings['accounts']>): BookLine {
  const [category] = Object.keys(accounts);
  if (category === undefined)
    throw new VendorError(
      'The settings of the connection name no income account. Choose one, then resolve this with retry.',
      { kind: 'refused', code: 'no_account' },
    );
  const amounts = { quantity: 1, unitPriceCents: 0, totalCents: 0 };
  return { name: 'No charges', description: null, category, ...amounts, isTaxable: false };
}

/** True if quantity × price is the total, so that a vendor that multiplies gets the same total. */
export function isExactTotal({ quantity, unitPriceCents, totalCents }: BookLine): boolean {
  return Math.abs(quantity * unitPriceCents - totalCents) < 1e-6;
}
