import type { InvoiceCreate } from '../../contracts/generated.js';

/**
 * True if the rate card prices the invoice. An empty `line_items` array asks for an invoice without
 * line items, so the rate card does not apply.
 */
export function isPricedFromRateCard({ work_order_id, line_items }: InvoiceCreate): boolean {
  return Boolean(work_order_id) && line_items === undefined;
}
