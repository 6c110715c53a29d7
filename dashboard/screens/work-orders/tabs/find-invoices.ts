import { useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import type { InvoiceListItem, WorkOrder } from '../../../api/records';
import type { paths } from '../../../generated/api';
import type { Page as ListPage } from '../../../parts/record/paged-table';

type InvoiceQuery = NonNullable<paths['/invoices']['get']['parameters']['query']>;
type Page = ListPage<InvoiceListItem>;

const PAGE_SIZE = 200;
const MAX_PAGES = 5;
/** A work order that was entered late may have an invoice that is older than its record. */
const EARLIER_MS = 86_400_000;

export interface FoundInvoices {
  invoices: InvoiceListItem[];
  /** False if there were too many invoices to look at all of them. */
  isComplete: boolean;
}

/**
 * Finds the invoices of a work order. The list of invoices has no filter for work orders, so the
 * invoices of the customer since the work order are read, up to 1000.
 */
export function useInvoicesOf(workOrder: WorkOrder) {
  const { id } = workOrder;
  return useQuery({
    queryKey: ['invoices of work order', id],
    queryFn: () => findInvoices(workOrder),
  });
}

async function findInvoices(workOrder: WorkOrder): Promise<FoundInvoices> {
  const since = new Date(Date.parse(workOrder.created_at) - EARLIER_MS).toISOString();
  const invoices: InvoiceListItem[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: InvoiceQuery = {
      since,
      date_field: 'created_at',
      limit: PAGE_SIZE,
      ...(workOrder.customer_id ? { customer_id: workOrder.customer_id } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const read: Page | undefined = (await client.GET('/invoices', { params: { query } })).data?.data;
    invoices.push(...(read?.items ?? []).filter((invoice) => invoice.work_order_id === workOrder.id));
    cursor = read?.cursor ?? undefined;
    if (cursor === undefined) return { invoices, isComplete: true };
  }
  return { invoices, isComplete: false };
}
