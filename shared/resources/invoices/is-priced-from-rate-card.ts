import type { InvoiceCreate } from '../../contracts/generated.js';

/**
 * The rate card prices an invoice that names a work order and omits line_items. An empty array
 * means an invoice without line items.
 */
export function isPricedFromRateCard({ work_order_id, line_items }: InvoiceCreate): boolean {
  return Boolean(work_order_id) && line_items === undefined;
}
