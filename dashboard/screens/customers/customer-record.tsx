import { Button } from '@mantine/core';
import { useState } from 'react';
import { api, client, ifMatch } from '../../api/client';
import type { Customer } from '../../api/records';
import { useCan } from '../../api/session';
import { useWrite } from '../../api/use-write';
import { ProblemAlert } from '../../parts/feedback/problem-alert';
import { externalIdsFact, WITH_EXTERNAL_IDS } from '../../parts/record/external-ids';
import { Facts } from '../../parts/record/facts';
import { PagedTable } from '../../parts/record/paged-table';
import { RecordDrawer } from '../../parts/record/record-drawer';
import { RecordTabs } from '../../parts/record/record-tabs';
import { humanize, StatusBadge } from '../../parts/record/status-badge';
import { RecordLink, ScreenLink } from '../../parts/url/links';
import { Money } from '../../parts/values/money';
import { TimeAgo } from '../../parts/values/time';
import { describeCoverage } from './coverage-fields';
import { EditCustomer } from './customer-form';
import { Statement } from './customer-statement';
import { PaymentMethods } from './payment-methods/payment-methods-tab';
import { useBillingPartners } from './use-billing-partners';

export function CustomerRecord({ id }: { id: string }) {
  const reading = api.useQuery('get', '/customers/{id}', {
    params: { path: { id }, query: WITH_EXTERNAL_IDS },
  });
  return (
    <RecordDrawer
      reading={reading}
      name={({ company_name }) => company_name}
      status={({ is_active }) => <StatusBadge status={is_active ? 'active' : 'inactive'} />}
      actions={(customer) => <Actions customer={customer} />}
    >
      {(customer) => (
        <RecordTabs
          tabs={[
            { value: 'details', label: 'Details', render: () => <Details customer={customer} /> },
            { value: 'invoices', label: 'Invoices', render: () => <Invoices customerId={id} /> },
            { value: 'statement', label: 'Statement', render: () => <Statement customerId={id} /> },
            {
              value: 'payment-methods',
              label: 'Payment methods',
              render: () => <PaymentMethods customer={customer} />,
            },
          ]}
        />
      )}
    </RecordDrawer>
  );
}

function Actions({ customer }: { customer: Customer }) {
  const [isEditing, setEditing] = useState(false);
  const canWrite = useCan('write');
  const verb = customer.is_active ? 'Deactivate' : 'Reactivate';
  const toggle = useWrite(
    (headers, isActive: boolean) =>
      client.PATCH('/customers/{id}', {
        params: { path: { id: customer.id }, header: { ...headers, ...ifMatch(customer) } },
        body: { is_active: isActive },
      }),
    { done: 'Customer saved' },
  );
  if (!canWrite) return null;
  return (
    <>
      {toggle.problem && <ProblemAlert problem={toggle.problem} />}
      <Button
        variant="default"
        loading={toggle.isRunning}
        onClick={() => void toggle.run(!customer.is_active)}
      >
        {verb}
      </Button>
      <Button onClick={() => setEditing(true)}>Edit</Button>
      {isEditing && <EditCustomer customer={customer} onClose={() => setEditing(false)} />}
    </>
  );
}

function Details({ customer }: { customer: Customer }) {
  const card = api.useQuery(
    'get',
    '/rate-cards/{id}',
    { params: { path: { id: customer.rate_card_id ?? '' } } },
    { enabled: customer.rate_card_id !== null },
  );
  const partners = useBillingPartners();
  const partner = partners.find(({ id }) => id === customer.billing_connection_id)?.name;
  const place = [customer.city, customer.state, customer.zip].filter(Boolean).join(' ');
  return (
    <Facts
      items={{
        Balance: <Money cents={customer.balance_cents} />,
        Overdue: <Money cents={customer.overdue_cents} />,
        Credit: <Money cents={customer.credit_cents} />,
        Type: humanize(customer.company_type),
        'Billing e-mail': customer.billing_email,
        Phone: customer.primary_phone,
        Address: [customer.address, place].filter(Boolean).join(', '),
        Terms: customer.terms_days === null ? "The account's" : `${customer.terms_days} days`,
        Tax: describeTax(customer),
        'Rate card': card.data?.name ?? "The account's default",
        Covers: describeCoverage(customer.coverage),
        ...(!customer.billing_connection_id ? {} : { 'Billed through': partner ?? 'A billing partner' }),
        ...externalIdsFact(customer.external_ids),
        Created: <TimeAgo at={customer.created_at} />,
        Changed: <TimeAgo at={customer.updated_at} />,
        'Work orders': (
          <ScreenLink screen="work-orders" search={{ customer_id: customer.id }}>
            Open the list
          </ScreenLink>
        ),
      }}
    />
  );
}

function describeTax({ tax_exempt: isExempt, tax_rate_bps: rate }: Customer): string {
  if (isExempt) return 'Exempt';
  return rate === null ? "The account's rate" : `${rate / 100} %`;
}

function Invoices({ customerId }: { customerId: string }) {
  return (
    <PagedTable
      label="Invoices"
      queryKey={['/invoices', customerId]}
      readPage={async (cursor) => {
        const query = { customer_id: customerId, limit: 20, ...(cursor ? { cursor } : {}) };
        const { data } = await client.GET('/invoices', { params: { query } });
        return data?.data ?? { items: [], cursor: null };
      }}
      rowKey={({ id }) => id}
      empty="This customer has no invoices yet."
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
        { header: 'Due', align: 'right', render: ({ balance_due_cents: cents }) => <Money cents={cents} /> },
      ]}
    />
  );
}
