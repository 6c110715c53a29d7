import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { Info } from 'lucide-react';
import { api } from '../../../api/client';
import type { Schemas, WorkOrder } from '../../../api/records';
import { useCan } from '../../../api/session';
import { Loading } from '../../../parts/basics/loading';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { RecordTable } from '../../../parts/record/record-table';
import { humanize } from '../../../parts/record/status-badge';
import { SumRow } from '../../../parts/record/sum-row';
import { useUrl } from '../../../parts/url/use-url';
import { Money } from '../../../parts/values/money';

type Price = Schemas['JobPrice'];

/**
 * The rate card's price of the work order, with its explanation. Reading the price stores nothing.
 */
export function PriceTab({ workOrder }: { workOrder: WorkOrder }) {
  const { openScreen } = useUrl();
  const canWrite = useCan('write');
  const reading = api.useQuery(
    'post',
    '/work-orders/{id}/price',
    { params: { path: { id: workOrder.id } }, body: {} },
    { enabled: canWrite, retry: false },
  );
  if (!canWrite) return <Text c="dimmed">Only people with the right write may see the price.</Text>;
  return (
    <Stack gap="md">
      {reading.isPending && <Loading rows={5} />}
      {reading.error && <ProblemAlert problem={reading.error} onRetry={() => void reading.refetch()} />}
      {reading.data && <Body price={reading.data} />}
      {canBeInvoiced(workOrder) ? (
        <Group justify="flex-end">
          <Button onClick={() => openScreen('invoices/new', { work_order_id: workOrder.id })}>
            Create invoice
          </Button>
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          This price is by what is known so far. Complete the work order, then create its invoice here.
        </Text>
      )}
    </Stack>
  );
}

/**
 * True if the rate card can price the work order: the work is done, or a truck came without
 * success.
 */
function canBeInvoiced({ status, cancel_reason: reason }: WorkOrder): boolean {
  return status === 'completed' || reason === 'goa' || reason === 'unsuccessful';
}

function Body({ price }: { price: Price }) {
  return (
    <>
      {price.is_invoiced && (
        <Alert variant="outline" icon={<Info size={18} aria-hidden />} title="Already invoiced">
          An invoice already charges this work order. A further one gets the storage days since then, and
          nothing else.
        </Alert>
      )}
      <Facts
        items={{
          'Rate card': `${price.rate_card.name}, in force since ${price.rate_card.effective_from}`,
          'After hours': price.is_after_hours ? 'Yes' : 'No',
          'Storage days already invoiced': price.invoiced_storage_days || undefined,
        }}
      />
      <Charges price={price} />
      <Title order={3} size="h5">
        Why
      </Title>
      <RecordTable
        label="Explanation of the price"
        rows={price.explanation}
        rowKey={({ name, category, service_type: type }) => `${name} ${category} ${type}`}
        empty="The rate card has no items for this service."
        columns={[
          { header: 'Item of the rate card', render: ({ name }) => name },
          { header: 'Charged', render: ({ line }) => (line === null ? 'No' : `Yes, as item ${line}`) },
          { header: 'Reason', render: ({ reason }) => capitalize(reason) },
          { header: 'Measured', align: 'right', render: ({ measured_quantity: n }) => n ?? '–' },
          { header: 'Included', align: 'right', render: ({ included_quantity: n }) => n ?? '–' },
        ]}
      />
    </>
  );
}

function Charges({ price }: { price: Price }) {
  const sums = [
    ['Subtotal', price.subtotal_cents],
    [`Tax (${price.tax_rate_bps / 100} %)`, price.tax_cents],
    ['Total', price.total_cents],
  ] as const;
  return (
    <RecordTable
      label="Charges"
      rows={price.line_items.map((item, index) => ({ ...item, position: index + 1 }))}
      rowKey={({ position }) => String(position)}
      empty="Nothing is charged."
      columns={[
        { header: 'Item', render: ({ name, position }) => `${position}. ${name}` },
        { header: 'Quantity', align: 'right', render: (item) => describeQuantity(item) },
        { header: 'Price', align: 'right', render: ({ unit_price_cents: cents }) => <Money cents={cents} /> },
        { header: 'Total', align: 'right', render: ({ total_cents: cents }) => <Money cents={cents} /> },
      ]}
      footer={sums.map(([name, cents]) => <SumRow key={name} name={name} cents={cents} columns={4} />)}
    />
  );
}

function describeQuantity({ quantity, unit_type: unit }: Schemas['PricedLineItem']): string {
  return `${quantity} ${humanize(unit).toLowerCase()}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
