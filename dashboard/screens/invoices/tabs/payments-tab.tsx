import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { PagedTable } from '../../../parts/record/paged-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import { nameMethod } from '../actions/record-payment';
import { AutopayAttempts } from './autopay-attempts';
import { Disputes } from './disputes';
import { PayLinks } from './pay-links';
import { RefundDialog } from './refund-dialog';

type Payment = Schemas['Payment'];

export function PaymentsTab({ invoice }: { invoice: Invoice }) {
  const [refunded, setRefunded] = useState<Payment>();
  const canRefund = useCan('approve');
  return (
    <>
      <PagedTable<Payment>
        label="Payments"
        queryKey={['/invoices/{id}/payments', invoice.id]}
        readPage={async (cursor) => {
          const query = { limit: 20, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/invoices/{id}/payments', {
            params: { path: { id: invoice.id }, query },
          });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="Nothing has been paid on this invoice yet."
        columns={[
          { header: 'Received', render: ({ received_at: at }) => <TimeAgo at={at} /> },
          { header: 'Method', render: ({ method }) => nameMethod(method) },
          { header: 'Status', render: (payment) => <PaymentState payment={payment} /> },
          {
            header: 'Reference',
            render: ({ reference, provider_payment_id: id }) => reference ?? id ?? '–',
          },
          { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
          {
            header: 'Refunded',
            align: 'right',
            render: ({ refunded_cents: cents }) => <Money cents={cents} />,
          },
          {
            header: 'Fee',
            align: 'right',
            render: ({ fee_cents: cents }) => (cents === null ? '–' : <Money cents={cents} />),
          },
          { header: 'Credit', align: 'right', render: ({ credit_cents: cents }) => <Money cents={cents} /> },
          {
            header: 'Action',
            render: (payment) =>
              canRefund && payment.status === 'succeeded' && payment.refunded_cents < payment.amount_cents ? (
                <Button size="compact-sm" variant="default" onClick={() => setRefunded(payment)}>
                  Refund
                </Button>
              ) : (
                '–'
              ),
          },
        ]}
      />
      <AutopayAttempts invoice={invoice} />
      <Disputes invoice={invoice} />
      <PayLinks invoice={invoice} />
      {refunded && (
        <RefundDialog invoice={invoice} payment={refunded} onClose={() => setRefunded(undefined)} />
      )}
    </>
  );
}

function PaymentState({ payment: { status, failure_reason: reason } }: { payment: Payment }) {
  return (
    <>
      <StatusBadge status={status} />
      {reason && <Text size="xs">{reason}</Text>}
    </>
  );
}
