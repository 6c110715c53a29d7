import { Alert, Stack, Text, Title } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { api } from '../../api/client';
import type { Invoice } from '../../api/records';
import { Facts } from '../../parts/record/facts';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { RecordHistory } from '../../parts/record/record-history';
import { RecordTabs } from '../../parts/record/record-tabs';
import { StatusBadge } from '../../parts/record/status-badge';
import { formatCents, Money } from '../../parts/values/money';
import { TimeAgo } from '../../parts/values/time';
import { type Approval, describeRequest, nameAsker } from './approval-text';
import { ChangeTable } from './change-table';
import { Decision } from './decision';
import { RequestedContent } from './requested-content';
import { ThresholdFacts } from './threshold-facts';

export function ApprovalRecord({ id }: { id: string }) {
  const reading = api.useQuery('get', '/approvals/{id}', { params: { path: { id } } });
  const invoiceId = reading.data?.invoice_id ?? null;
  const invoice = api.useQuery(
    'get',
    '/invoices/{id}',
    { params: { path: { id: invoiceId ?? '' } } },
    { enabled: invoiceId !== null },
  ).data;
  return (
    <RecordDrawer
      reading={reading}
      name={(approval) => describeRequest(approval, invoice?.invoice_number)}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(approval) => <Decision approval={approval} invoice={invoice} />}
    >
      {(approval) => (
        <RecordTabs
          tabs={[
            {
              value: 'request',
              label: 'Request',
              render: () => <Request approval={approval} invoice={invoice} />,
            },
            {
              value: 'history',
              label: 'History',
              render: () =>
                approval.invoice_id ? (
                  <RecordHistory entityType="invoice" id={approval.invoice_id} />
                ) : (
                  <RecordHistory entityType="approval" id={approval.id} />
                ),
            },
          ]}
        />
      )}
    </RecordDrawer>
  );
}

function Request({ approval, invoice }: { approval: Approval; invoice: Invoice | undefined }) {
  return (
    <Stack gap="md">
      {approval.justification && (
        <section>
          <Title order={2} size="h4">
            Justification
          </Title>
          <Text>{approval.justification}</Text>
        </section>
      )}
      <Facts
        items={{
          'Who asks': nameAsker(approval),
          Amount: <Money cents={approval.amount_cents} />,
          Requested: <TimeAgo at={approval.created_at} />,
          Expires: approval.status === 'pending' ? <TimeAgo at={approval.expires_at} /> : undefined,
          Tool: approval.tool ?? undefined,
          'Note of the decision': approval.note ?? undefined,
        }}
      />
      <ThresholdFacts approval={approval} />
      <StaleInvoice approval={approval} invoice={invoice} />
      {approval.changes.length > 0 && (
        <ChangeTable label="Changed since it was first shown" changes={approval.changes} />
      )}
      <RequestedContent approval={approval} invoice={invoice} />
    </Stack>
  );
}

/** Warns if the current version of the invoice is not the version that the approval names. */
function StaleInvoice({ approval, invoice }: { approval: Approval; invoice: Invoice | undefined }) {
  const isStale =
    approval.status === 'pending' &&
    invoice !== undefined &&
    approval.record_version !== null &&
    Date.parse(invoice.updated_at) > Date.parse(approval.record_version);
  if (!isStale) return null;
  const amounts =
    approval.kind === 'invoice_approval' && invoice.total_cents !== approval.amount_cents
      ? ` Its total was ${formatCents(approval.amount_cents)} and is now ${formatCents(invoice.total_cents)}.`
      : '';
  return (
    <Alert variant="outline" color="yellow" icon={<TriangleAlert size={18} aria-hidden />}>
      <Text size="sm">
        The invoice has changed since this was asked.{amounts} Before anything is approved, you see what has
        changed.
      </Text>
    </Alert>
  );
}
