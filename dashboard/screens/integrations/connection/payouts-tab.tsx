import { Button, Stack, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { PagedTable } from '../../../parts/record/paged-table';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import { RecordLink } from '../../../parts/url/links';
import { formatCents, Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';

type Payout = Schemas['Payout'];

/** The payouts from the vendor to the account's bank, and the items of the open payout. */
export function PayoutsTab({ connectionId }: { connectionId: string }) {
  const [opened, setOpened] = useState<Payout>();
  return (
    <Stack gap="sm">
      <PagedTable<Payout>
        label="Payouts"
        queryKey={['/payouts', connectionId]}
        readPage={async (cursor) => {
          const query = { connection_id: connectionId, limit: 20, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/payouts', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="There are no payouts yet."
        columns={[
          { header: 'Started', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          { header: 'Arrival', render: ({ arrival_date: day }) => <span className="digits">{day}</span> },
          { header: 'Status', render: (payout) => <Status payout={payout} /> },
          { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
          {
            header: 'Fees',
            align: 'right',
            render: ({ fee_cents: cents }) => (cents === null ? '–' : <Money cents={cents} />),
          },
          {
            header: 'Items',
            render: (payout) => <ItemsButton payout={payout} onOpen={(one) => setOpened({ ...one })} />,
          },
        ]}
      />
      {opened && <PayoutItems payout={opened} />}
    </Stack>
  );
}

/**
 * Names a payout by its day and amount: "2026-11-30, $48.20 (c9f54d)". Two payouts of one day may
 * have the same amount, so the name ends with a part of the id.
 */
function namePayout({ id, arrival_date: day, amount_cents: cents }: Payout): string {
  return `${day}, ${formatCents(cents)} (${id.slice(-6)})`;
}

function Status({ payout: { status, failure_reason: reason } }: { payout: Payout }) {
  return (
    <>
      <StatusBadge status={status} />
      {reason && <div>{reason}</div>}
    </>
  );
}

function ItemsButton({ payout, onOpen }: { payout: Payout; onOpen: (payout: Payout) => void }) {
  if (payout.items_status === 'unavailable') return 'Not stated by the vendor';
  if (payout.items_status === 'pending') return 'Not read yet';
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`Show items of the payout of ${namePayout(payout)}`}
      onClick={() => onOpen(payout)}
    >
      Show items
    </Button>
  );
}

/**
 * The items of a payout, below the table. The heading takes the focus whenever a person opens a
 * payout. Otherwise the person would not learn of the items, and Tab would go through all other
 * payouts first.
 */
function PayoutItems({ payout }: { payout: Payout }) {
  const { id } = payout;
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each opening is another object
  useEffect(() => heading.current?.focus(), [payout]);
  return (
    <>
      <Title ref={heading} order={3} size="h5" tabIndex={-1}>
        In the payout of {namePayout(payout)}
      </Title>
      <PagedTable<Schemas['PayoutItem']>
        label="Items of the payout"
        queryKey={['/payouts/items', id]}
        readPage={async (cursor) => {
          const query = { limit: 50, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/payouts/{id}/items', { params: { path: { id }, query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={(item) => item.id}
        empty="The payout contains nothing."
        columns={[
          { header: 'What', render: ({ type }) => humanize(type) },
          { header: 'Description', render: ({ description }) => description ?? '–' },
          {
            header: 'Invoice',
            render: ({ invoice_id: invoiceId }) =>
              invoiceId === null ? (
                '–'
              ) : (
                <RecordLink screen="invoices" id={invoiceId}>
                  Open invoice
                </RecordLink>
              ),
          },
          { header: 'Amount', align: 'right', render: ({ amount_cents: cents }) => <Money cents={cents} /> },
          { header: 'Fee', align: 'right', render: ({ fee_cents: cents }) => <Money cents={cents} /> },
          { header: 'Net', align: 'right', render: ({ net_cents: cents }) => <Money cents={cents} /> },
        ]}
      />
    </>
  );
}
