import { type Problem, splitFaults } from '../../../api/problem';
import type { FieldErrors } from '../../../parts/dialogs/form-dialog';
import { FIELD_LABELS, type InvoiceDraft, LINE_LABELS, type LineField } from './invoice-draft';

const LABELS: Record<string, string> = { ...FIELD_LABELS, ...LINE_LABELS };

/** Returns the API's path of a member of a line item. */
export function linePath(index: number, name: LineField): string {
  return `line_items[${index}].${name}`;
}

/** Returns the API's names of all fields of the form. */
export function listFields({ lines }: InvoiceDraft): string[] {
  const names = Object.keys(LINE_LABELS) as LineField[];
  const ofLines = lines.flatMap((_, index) => names.map((name) => linePath(index, name)));
  return [...Object.keys(FIELD_LABELS), ...ofLines, 'line_items'];
}

/**
 * Returns the faults by field. If the refused write has no faults, returns the faults that the dry
 * run found in the current input.
 */
export function collectErrors(
  written: FieldErrors,
  checked: Problem | undefined,
  draft: InvoiceDraft,
): FieldErrors {
  const hasWritten = Object.keys(written).length > 0;
  const errors = hasWritten || !checked ? written : splitFaults(checked, listFields(draft)).errors;
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, readable(text)]));
}

/**
 * Rewrites a fault for people: "line_items[0].unit_price_cents is required" becomes "Unit price is
 * required".
 */
export function readable(text: string): string {
  return text
    .replace(/line_items\[\d+\]\./g, '')
    .replace(/\b[a-z]+(?:_[a-z]+)*\b/g, (word, at) => (at === 0 || word.includes('_') ? label(word) : word));
}

function label(word: string): string {
  return LABELS[word] ?? word;
}
