import type { InvoiceCreate } from '../../contracts/generated.js';

/** An invoice for a job that says nothing of its lines is priced from the rate card; an empty list of lines is none. */
export function asksForPrice({ work_order_id, line_items }: InvoiceCreate): boolean {
  return Boolean(work_order_id) && line_items === undefined;
}
