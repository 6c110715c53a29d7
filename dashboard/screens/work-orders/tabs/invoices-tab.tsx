import { Stack, Text } from '@mantine/core';
import type { WorkOrder } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { RecordTable } from '../../../parts/record/record-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { RecordLink, ScreenLink } from '../../../parts/url/links';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import { useInvoicesOf } from './find-invoices';

export function InvoicesTab({ workOrder }: { workOrder: WorkOrder }) {
  const { data, error, isPending, refetch } = useInvoicesOf(workOrder);
  if (isPending) return <Loading rows={3} />;
  if (!data) return <ProblemAlert problem={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="sm">
      <RecordTable
        label="Invoices"
        rows={data.invoices}
        rowKey={({ id }) => id}
        empty="This work order has no invoice yet. The tab Price creates one."
        columns={[
          {
            header: 'Number',
            render: ({ id, invoice_number: number }) => (
              <RecordLink screen="invoices" id={id}>
                {number}
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
      {!data.isComplete && (
        <Text size="sm" c="dimmed">
          Only the 1,000 newest invoices were searched.{' '}
          <ScreenLink
            screen="invoices"
            search={workOrder.customer_id ? { customer_id: workOrder.customer_id } : {}}
          >
            Open the list
          </ScreenLink>
        </Text>
      )}
    </Stack>
  );
}
