import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client';
import type { Invoice, Schemas } from '../../api/records';
import { useCan } from '../../api/session';
import { CustomerName } from '../../parts/choices/record-names';
import { Facts } from '../../parts/record/facts';
import { LineTable } from '../../parts/record/line-table';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { RecordTable } from '../../parts/record/record-table';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { Money } from '../../parts/values/money';
import { TimeAgo } from '../../parts/values/time';
import { AcceptDialog, DismissDialog } from './decision-dialogs';
import { formatShare, readReasonNumbers } from './reason-numbers';
import { SubjectLink } from './subject-link';

type Suggestion = Schemas['Suggestion'];

export function SuggestionRecord({ id }: { id: string }) {
  const reading = api.useQuery('get', '/suggestions/{id}', { params: { path: { id } } });
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
      name={({ title }) => title}
      status={({ status }) => <StatusBadge status={status} />}
      actions={(suggestion) => <Decision suggestion={suggestion} invoice={invoice} />}
    >
      {(suggestion) => <Details suggestion={suggestion} invoice={invoice} />}
    </RecordDrawer>
  );
}

function Decision({ suggestion, invoice }: { suggestion: Suggestion; invoice: Invoice | undefined }) {
  const [open, setOpen] = useState<'accept' | 'dismiss'>();
  const canWrite = useCan('write');
  const close = () => setOpen(undefined);
  return (
    <>
      {suggestion.status !== 'open' && <Decided suggestion={suggestion} />}
      {suggestion.status === 'open' && canWrite && (
        <Group gap="xs">
          <Button variant="default" onClick={() => setOpen('dismiss')}>
            Dismiss
          </Button>
          <Button onClick={() => setOpen('accept')}>Accept</Button>
        </Group>
      )}
      {open === 'accept' && <AcceptDialog suggestion={suggestion} invoice={invoice} onClose={close} />}
      {open === 'dismiss' && <DismissDialog suggestion={suggestion} onClose={close} />}
    </>
  );
}

function Decided({ suggestion: { status, decided_by: by, decided_at: at } }: { suggestion: Suggestion }) {
  return (
    <Text size="sm" role="status">
      {humanize(status)} {by?.name && `by ${by.name} `}
      {at && <TimeAgo at={at} />}
    </Text>
  );
}

function Details({ suggestion, invoice }: { suggestion: Suggestion; invoice: Invoice | undefined }) {
  const lines = suggestion.proposed_lines;
  return (
    <Stack gap="md">
      <Why suggestion={suggestion} />
      <Facts
        items={{
          About: <SubjectLink suggestion={suggestion} />,
          Customer: invoice && <CustomerName id={invoice.customer_id} isLink />,
          'Status of the invoice': invoice && <StatusBadge status={invoice.status} />,
          'Subtotal of the invoice': invoice && <Money cents={invoice.subtotal_cents} />,
          Kind: humanize(suggestion.kind),
          Detector: humanize(suggestion.detector),
          Found: <TimeAgo at={suggestion.created_at} />,
          Note: suggestion.note ?? undefined,
        }}
      />
      {suggestion.entity_type === 'claim' && <ClaimFacts id={suggestion.entity_id} />}
      <Stack gap="xs">
        <Title order={2} size="h4">
          What is proposed
        </Title>
        {lines.length > 0 ? (
          <LineTable
            label="Proposed line items"
            lines={lines}
            sums={{ 'Before tax': lines.reduce((sum, line) => sum + line.total_cents, 0) }}
          />
        ) : (
          <Text c="dimmed">No change of the invoice. Check the record, and change it there if needed.</Text>
        )}
      </Stack>
    </Stack>
  );
}

function Why({ suggestion }: { suggestion: Suggestion }) {
  const numbers = [
    ...readReasonNumbers(suggestion.rationale),
    { name: 'Confidence', value: formatShare(suggestion.confidence) },
  ];
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Why
      </Title>
      <Text>{suggestion.rationale}</Text>
      <RecordTable
        label="The numbers of the reason"
        rows={numbers}
        rowKey={({ name }) => name}
        empty=""
        columns={[
          { header: 'Number', render: ({ name }) => name },
          { header: 'Value', align: 'right', render: ({ value }) => <span className="digits">{value}</span> },
        ]}
      />
    </Stack>
  );
}

function ClaimFacts({ id }: { id: string }) {
  const { data: claim } = api.useQuery('get', '/claims/{id}', { params: { path: { id } } });
  if (!claim) return null;
  return (
    <Facts
      items={{
        Club: claim.club,
        'Status of the claim': <StatusBadge status={claim.status} />,
        Expected: <Money cents={claim.expected_cents} />,
        Paid: <Money cents={claim.paid_cents} />,
        Denial: claim.denial_code ? humanize(claim.denial_code) : undefined,
        'Answer by': claim.respond_by ? <TimeAgo at={claim.respond_by} /> : undefined,
      }}
    />
  );
}
