import { api } from '../../../api/client';
import type { Invoice } from '../../../api/records';
import { StatusBadge } from '../../../parts/record/status-badge';
import { CopyButton } from '../../../parts/values/copy';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import { TitledTable } from './titled-table';

/** The newest pay links of the invoice, open or closed. Shows nothing if there are none. */
export function PayLinks({ invoice: { id } }: { invoice: Invoice }) {
  const { data } = api.useQuery('get', '/pay-links', { params: { query: { invoice_id: id, limit: 5 } } });
  const items = data?.data.items ?? [];
  return (
    <TitledTable
      label="Pay links"
      rows={items}
      rowKey={(link) => link.id}
      columns={[
        { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
        { header: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
        {
          header: 'Open until',
          render: ({ status, expires_at: at }) => (status === 'open' && at ? <TimeAgo at={at} /> : '–'),
        },
        {
          header: 'Action',
          render: ({ status, url }) =>
            status === 'open' && url ? <CopyButton text={url} label="pay link" /> : '–',
        },
      ]}
    />
  );
}
