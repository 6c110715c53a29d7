import type { InvoiceCreate } from '../../contracts/generated.js';

/** An empty array of line_items is an invoice without line items, not a wish for the rate card. */
export function isPricedFromRateCard({ work_order_id, line_items }: InvoiceCreate): boolean {
  return Boolean(work_order_id) && line_items === undefined;
}
