import { newKey } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { humanize } from '../../../parts/record/status-badge';

/** A line item of an invoice while a person types it. */
export interface LineDraft {
  /** Identifies the line item when a person moves line items. */
  key: string;
  category: string;
  name: string;
  description: string;
  quantity: string;
  unit_type: string;
  unit_price_cents: number | undefined;
  taxable: boolean;
}

const FIRST_CATEGORY = 'tow';

export function createLine(): LineDraft {
  return {
    key: newKey(),
    category: FIRST_CATEGORY,
    name: humanize(FIRST_CATEGORY),
    description: '',
    quantity: '1',
    unit_type: 'each',
    unit_price_cents: undefined,
    taxable: false,
  };
}

/** Changes the category. Also changes the name, unless the person has typed a name. */
export function withCategory(line: LineDraft, category: string): LineDraft {
  const isNameTyped = line.name !== '' && line.name !== humanize(line.category);
  return { ...line, category, name: isNameTyped ? line.name : humanize(category) };
}

export function toLineDrafts(lines: Invoice['line_items']): LineDraft[] {
  return lines.map((line) => ({
    key: line.id,
    category: line.category,
    name: line.name,
    description: line.description ?? '',
    quantity: String(line.quantity),
    unit_type: line.unit_type,
    unit_price_cents: line.unit_price_cents,
    taxable: line.taxable,
  }));
}

export function isLineFinished({ name, quantity, unit_price_cents: price }: LineDraft): boolean {
  return name.trim() !== '' && quantity.trim() !== '' && price !== undefined;
}

/**
 * Returns the line item in the API's format. Omits empty members, so that the API reports them as
 * missing.
 */
export function toLineInput(line: LineDraft): Schemas['LineItemInput'] {
  const { key: _, unit_price_cents: price, ...rest } = line;
  const quantity = line.quantity.trim() === '' ? undefined : Number(line.quantity);
  const input = {
    ...rest,
    description: line.description === '' ? null : line.description,
    quantity,
    unit_price_cents: price,
  };
  return input as Schemas['LineItemInput'];
}
