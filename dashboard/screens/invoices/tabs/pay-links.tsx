import { Title } from '@mantine/core';
import { api } from '../../../api/client';
import type { Invoice } from '../../../api/records';
import { RecordTable } from '../../../parts/record/record-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { CopyButton } from '../../../parts/values/copy';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';

/** The newest links on which the customer can pay, or could. Nothing is shown without one. */
export function PayLinks({ invoice: { id } }: { invoice: Invoice }) {
  const { data } = api.useQuery('get', '/pay-links', { params: { query: { invoice_id: id, limit: 5 } } });
  const items = data?.data.items ?? [];
  if (items.length === 0) return null;
  return (
    <>
      <Title order={3} size="h5" mt="md">
        Pay links
      </Title>
      <RecordTable
        label="Pay links"
        rows={items}
        rowKey={(link) => link.id}
        empty=""
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
    </>
  );
}
