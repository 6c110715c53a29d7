import type { InvoiceCreate } from '../../contracts/generated.js';

/**
 * An empty array of line_items means an invoice without line items, so the rate card does not
 * apply.
 */
export function isPricedFromRateCard({ work_order_id, line_items }: InvoiceCreate): boolean {
  return Boolean(work_order_id) && line_items === undefined;
}
