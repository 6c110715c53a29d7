import { client } from '../../../api/client';
import type { InvoiceListItem, WorkOrder } from '../../../api/records';
import { PagedTable } from '../../../parts/record/paged-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { RecordLink } from '../../../parts/url/links';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';

const PAGE_SIZE = 50;

export function InvoicesTab({ workOrder: { id } }: { workOrder: WorkOrder }) {
  const query = { work_order_id: id, limit: PAGE_SIZE };
  return (
    <PagedTable<InvoiceListItem>
      queryKey={['/invoices', query]}
      readPage={async (cursor) => {
        const { data } = await client.GET('/invoices', {
          params: { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } },
        });
        return data?.data ?? { items: [], cursor: null };
      }}
      label="Invoices"
      rowKey={(invoice) => invoice.id}
      empty="This work order has no invoice yet. The tab Price creates one."
      columns={[
        {
          header: 'Number',
          render: (invoice) => (
            <RecordLink screen="invoices" id={invoice.id}>
              {invoice.invoice_number}
            </RecordLink>
          ),
        },
        { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
        { header: 'Total', align: 'right', render: ({ total_cents: cents }) => <Money cents={cents} /> },
        { header: 'Paid', align: 'right', render: ({ paid_cents: cents }) => <Money cents={cents} /> },
        {
          header: 'Due',
          align: 'right',
          render: ({ balance_due_cents: cents }) => <Money cents={cents} />,
        },
        { header: 'Created', render: ({ created_at: at }) => <TimeAgo at={at} /> },
      ]}
    />
  );
}
