import { Stack, Text, Title } from '@mantine/core';
import type { Invoice } from '../../api/records';
import { Loading } from '../../parts/basics/loading';
import { CustomerName } from '../../parts/choices/record-names';
import { ChangeValue } from '../../parts/record/change-value';
import { Facts } from '../../parts/record/facts';
import { LineTable } from '../../parts/record/line-table';
import { RecordTable } from '../../parts/record/record-table';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { RecordLink } from '../../parts/url/links';
import { type Approval, readRequest } from './approval-text';

/** Members of a request that this page shows in another form, or that mean nothing to a person. */
const HIDDEN = ['line_items', 'invoice_id', 'priced_from_card', 'justification'];

/** The subject of the decision: the current invoice, and the values that a held write would set. */
export function RequestedContent({
  approval,
  invoice,
}: {
  approval: Approval;
  invoice: Invoice | undefined;
}) {
  const hasDraft = approval.kind === 'agent_write' && approval.status !== 'approved';
  return (
    <Stack gap="md">
      {hasDraft && approval.action === 'invoice.create' && <NewInvoice approval={approval} />}
      {hasDraft && approval.action === 'invoice.update' && (
        <ChangedInvoice approval={approval} invoice={invoice} />
      )}
      {approval.invoice_id && <StoredInvoice invoice={invoice} />}
    </Stack>
  );
}

function StoredInvoice({ invoice }: { invoice: Invoice | undefined }) {
  if (!invoice) return <Loading label="Loading the invoice" rows={4} />;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        The invoice now
      </Title>
      <Facts
        items={{
          Number: (
            <RecordLink screen="invoices" id={invoice.id}>
              {invoice.invoice_number}
            </RecordLink>
          ),
          Status: <StatusBadge status={invoice.status} />,
          Customer: <CustomerName id={invoice.customer_id} isLink />,
          'Work order': invoice.work_order_id && (
            <RecordLink screen="work-orders" id={invoice.work_order_id}>
              Open
            </RecordLink>
          ),
          'Billing e-mail': invoice.billing_email,
          'PO number': invoice.po_number ?? undefined,
          Vehicle: invoice.vehicle_description ?? undefined,
        }}
      />
      <LineTable
        lines={invoice.line_items}
        sums={{ Subtotal: invoice.subtotal_cents, Tax: invoice.tax_cents, Total: invoice.total_cents }}
      />
    </Stack>
  );
}

function NewInvoice({ approval }: { approval: Approval }) {
  const { line_items: lines = [], customer_id: customerId = null } = readRequest(approval);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        The requested draft
      </Title>
      <Facts items={{ Customer: <CustomerName id={customerId} isLink />, ...listOthers(approval) }} />
      <RequestedLines approval={approval} lines={lines} />
    </Stack>
  );
}

function ChangedInvoice({ approval, invoice }: { approval: Approval; invoice: Invoice | undefined }) {
  const { line_items: lines } = readRequest(approval);
  const fields = Object.entries(approval.payload).filter(([name]) => !HIDDEN.includes(name));
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        The requested changes
      </Title>
      {fields.length > 0 && (
        <RecordTable
          label="Requested changes"
          rows={fields}
          rowKey={([name]) => name}
          empty=""
          columns={[
            { header: 'What', render: ([name]) => humanize(name.replace(/_(cents|id)$/, '')) },
            {
              header: 'Now',
              render: ([name]) => <ChangeValue field={name} value={invoice?.[name as keyof Invoice]} />,
            },
            {
              header: 'Requested',
              render: ([name, value]) => <ChangeValue field={name} value={value} />,
            },
          ]}
        />
      )}
      {lines && <RequestedLines approval={approval} lines={lines} />}
    </Stack>
  );
}

function RequestedLines({
  approval,
  lines,
}: {
  approval: Approval;
  lines: NonNullable<ReturnType<typeof readRequest>['line_items']>;
}) {
  const subtotal = lines.reduce((sum, line) => sum + line.total_cents, 0);
  const total = approval.amount_cents;
  return (
    <>
      <LineTable
        label="Requested line items"
        lines={lines}
        sums={{ Subtotal: subtotal, Tax: total - subtotal, Total: total }}
      />
      {approval.payload.priced_from_card === true && (
        <Text size="sm" c="dimmed">
          The rate card has set the prices. They are calculated again on approval; if they differ then, you
          are asked again.
        </Text>
      )}
    </>
  );
}

/** Lists the remaining members of a requested draft, which this page does not show elsewhere. */
function listOthers(approval: Approval) {
  return Object.fromEntries(
    Object.entries(approval.payload)
      .filter(([name, value]) => ![...HIDDEN, 'customer_id'].includes(name) && value !== null)
      .map(([name, value]) => [
        humanize(name.replace(/_(cents|id)$/, '')),
        <ChangeValue key={name} field={name} value={value} />,
      ]),
  );
}
