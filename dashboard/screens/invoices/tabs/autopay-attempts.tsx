import { Text } from '@mantine/core';
import { api } from '../../../api/client';
import type { Invoice } from '../../../api/records';
import { StatusBadge } from '../../../parts/record/status-badge';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import { TitledTable } from './titled-table';

/** The attempts to charge an invoice to a saved payment method. */
export function AutopayAttempts({ invoice: { id } }: { invoice: Invoice }) {
  const query = { invoice_id: id, limit: 20 };
  const { data } = api.useQuery('get', '/autopay-attempts', { params: { query } });
  return (
    <TitledTable
      label="Automatic charges"
      rows={data?.data.items ?? []}
      rowKey={(attempt) => attempt.id}
      columns={[
        { header: 'Tried', render: ({ created_at: at }) => <TimeAgo at={at} /> },
        { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
        {
          header: 'Status',
          render: ({ status, failure_reason: reason }) => (
            <>
              <StatusBadge status={status} />
              {reason && <Text size="xs">{reason}</Text>}
            </>
          ),
        },
        {
          header: 'Next try',
          render: ({ next_attempt_at: at }) => (at ? <TimeAgo at={at} /> : '–'),
        },
      ]}
    />
  );
}
