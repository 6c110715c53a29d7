import { Stack, Title } from '@mantine/core';
import type { Invoice } from '../../../api/records';
import { CustomerName } from '../../../parts/choices/record-names';
import { externalIdsFact } from '../../../parts/record/external-ids';
import { Facts } from '../../../parts/record/facts';
import { LineTable } from '../../../parts/record/line-table';
import { humanize } from '../../../parts/record/status-badge';
import { RecordLink } from '../../../parts/url/links';
import { Money } from '../../../parts/values/money';
import { TimeAgo } from '../../../parts/values/time';
import { ZonedDate } from '../../../parts/values/zoned-date';

export function DetailsTab({ invoice }: { invoice: Invoice }) {
  return (
    <Stack gap="md">
      <Facts
        items={{
          Balance: <Money cents={invoice.balance_due_cents} />,
          Customer: <CustomerName id={invoice.customer_id} isLink />,
          'Billing e-mail': invoice.billing_email,
          'Work order': invoice.work_order_id && (
            <RecordLink screen="work-orders" id={invoice.work_order_id}>
              Open
            </RecordLink>
          ),
          PO: invoice.po_number,
          Vehicle: invoice.vehicle_description,
          Service: <ZonedDate at={invoice.service_date} />,
          Due: <ZonedDate at={invoice.effective_due_date} empty="Its terms start when it is sent" />,
          Sent: <TimeAgo at={invoice.sent_at} />,
          Delivery: describeDelivery(invoice.delivery),
          Viewed: <TimeAgo at={invoice.delivery?.viewed_at} />,
          Created: <TimeAgo at={invoice.created_at} />,
          Changed: <TimeAgo at={invoice.updated_at} />,
          ...externalIdsFact(invoice.external_ids),
          Notes: invoice.notes ?? undefined,
        }}
      />
      <Title order={3} size="h5">
        Line items
      </Title>
      <LineTable
        lines={invoice.line_items}
        sums={{
          Subtotal: invoice.subtotal_cents,
          Tax: invoice.tax_cents,
          Total: invoice.total_cents,
          Paid: invoice.paid_cents,
          Balance: invoice.balance_due_cents,
        }}
      />
    </Stack>
  );
}

function describeDelivery(delivery: Invoice['delivery']): string | null {
  if (!delivery) return null;
  return delivery.reason ? `${humanize(delivery.state)}: ${delivery.reason}` : humanize(delivery.state);
}
