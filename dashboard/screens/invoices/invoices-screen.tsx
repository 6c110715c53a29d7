import { Button } from '@mantine/core';
import type { InvoiceListItem } from '../../api/records';
import { useCan } from '../../api/session';
import { INVOICE_STATUS } from '../../generated/vocabulary';
import { wordsOf } from '../../parts/choices/words';
import { CUSTOMER, type Filter, FROM, SEARCH, TO } from '../../parts/list/filters';
import type { ListColumn } from '../../parts/list/linked-table';
import { ListScreen } from '../../parts/list/list-screen';
import { BY_CREATION } from '../../parts/list/sort-header';
import { ViewTabs } from '../../parts/list/view-tabs';
import { StatusBadge } from '../../parts/record/status-badge';
import { useUrl } from '../../parts/url/use-url';
import { buildCurl } from '../../parts/values/curl';
import { Money } from '../../parts/values/money';
import { TimeAgo } from '../../parts/values/time';
import { ZonedDate } from '../../parts/values/zoned-date';
import { ClaimsView } from './claims/claims-view';
import { NEW_ID } from './new-id';

const FILTERS: readonly Filter[] = [
  { name: 'status', label: 'Status', kind: 'choice', options: wordsOf(INVOICE_STATUS) },
  CUSTOMER,
  FROM,
  TO,
  {
    name: 'date_field',
    label: 'Dates of',
    kind: 'choice',
    options: [
      { value: 'created_at', label: 'Creation' },
      { value: 'updated_at', label: 'Last change' },
      { value: 'service_date', label: 'Service' },
      { value: 'due_date', label: 'Due date' },
      { value: 'paid_at', label: 'Payment' },
    ],
  },
  SEARCH,
];

const COLUMNS: readonly ListColumn<InvoiceListItem>[] = [
  {
    header: 'Customer',
    render: ({ customer_name: name, billing_email: email }) => name ?? email ?? '–',
  },
  { header: 'Status', render: ({ status }) => <StatusBadge status={status} />, width: 150 },
  { header: 'Service', render: ({ service_date }) => <ZonedDate at={service_date} /> },
  {
    header: 'Due',
    render: ({ effective_due_date }) => <ZonedDate at={effective_due_date} />,
    sort: {
      by: 'due_date',
      first: 'ascending',
      note: 'Sorted by the due date that is set on the invoice. Invoices that are due by payment terms come last.',
    },
  },
  {
    header: 'Created',
    render: ({ created_at }) => <TimeAgo at={created_at} />,
    sort: BY_CREATION,
  },
  { header: 'Total', align: 'right', render: ({ total_cents }) => <Money cents={total_cents} /> },
  {
    header: 'Balance',
    align: 'right',
    render: ({ balance_due_cents }) => <Money cents={balance_due_cents} />,
  },
];

const EXAMPLE = {
  invoice_number: 'INV-1001',
  billing_email: 'billing@example.com',
  line_items: [
    {
      name: 'Light-duty tow',
      category: 'tow',
      quantity: 1,
      unit_type: 'each',
      unit_price_cents: 12500,
    },
  ],
};

/** Invoices, and the claims on motor clubs for them. */
export function InvoicesScreen() {
  return (
    <ViewTabs
      name="Invoices"
      views={[
        { name: 'invoices', label: 'Invoices', content: <InvoicesView /> },
        { name: 'claims', label: 'Claims', content: <ClaimsView /> },
      ]}
    />
  );
}

function InvoicesView() {
  const { openRecord } = useUrl();
  const canWrite = useCan('write');
  const create = canWrite && <Button onClick={() => openRecord(NEW_ID, 'invoices')}>New invoice</Button>;
  return (
    <ListScreen<InvoiceListItem>
      isView
      name="Invoices"
      path="/invoices"
      fixedQuery={{ expand: 'names' }}
      filters={FILTERS}
      columns={COLUMNS}
      nameHeader="Number"
      rowName={({ invoice_number }) => <span style={{ whiteSpace: 'nowrap' }}>{invoice_number}</span>}
      actions={create}
      empty={{
        text: 'There are no invoices yet. Make one here, or complete a work order and price it by the rate card.',
        action: create,
        curl: buildCurl('/invoices', { method: 'POST', body: EXAMPLE }),
      }}
    />
  );
}
