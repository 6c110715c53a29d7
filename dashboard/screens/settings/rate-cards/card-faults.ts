import { type Problem, splitFaults } from '../../../api/problem';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import type { CardDraft } from './card-draft';

/** The labels of an item's fields, by their names in the API. */
export const ITEM_LABELS = {
  category: 'Category',
  name: 'Name on invoice',
  service_type: 'Service type',
  unit_type: 'Unit',
  unit_price_cents: 'Price',
  included_quantity: 'Included quantity',
  minimum_cents: 'Minimum',
  after_hours: 'Only after hours',
  taxable: 'Taxable',
} as const;

export type ItemField = keyof typeof ITEM_LABELS;

const CARD_LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  effective_from: 'Effective from',
  is_default: 'Default card',
  'after_hours_window.start': 'After hours from',
  'after_hours_window.end': 'After hours until',
};

/** Returns the API's path of a member of an item. */
export function itemPath(index: number, name: ItemField): string {
  return `items[${index}].${name}`;
}

/** Returns the API's names of all fields of the form. */
export function listFields({ items }: CardDraft): string[] {
  const names = Object.keys(ITEM_LABELS) as ItemField[];
  return [
    ...Object.keys(CARD_LABELS),
    ...items.flatMap((_, index) => names.map((name) => itemPath(index, name))),
    'items',
  ];
}

/**
 * Returns the faults by field. If the refused write has no faults, returns the faults that the dry
 * run found in the current input.
 */
export function collectErrors(
  written: FieldErrors,
  checked: Problem | undefined,
  draft: CardDraft,
): FieldErrors {
  const hasWritten = Object.keys(written).length > 0;
  const errors = hasWritten || !checked ? written : splitFaults(checked, listFields(draft)).errors;
  return Object.fromEntries(Object.entries(errors).map(([field, text]) => [field, readable(field, text)]));
}

/**
 * Rewrites a fault for people: "items[0].unit_price_cents is required" becomes "Price is
 * required".
 */
function readable(field: string, text: string): string {
  const name = field.replace(/^items\[\d+\]\./, '');
  const label = name === field ? CARD_LABELS[field] : ITEM_LABELS[name as ItemField];
  return label ? text.replaceAll(field, label) : text;
}
